// Some calls with the client that openapi-generator makes for C#.
using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

internal static class Journey
{
    private static void Check(bool holds, string text)
    {
        if (!holds)
        {
            throw new InvalidOperationException(text);
        }
    }

    private static Configuration Keys(string otherKey = null)
    {
        var configuration = new Configuration { BasePath = Environment.GetEnvironmentVariable("PRESENCE_URL") };
        configuration.ApiKey["x-api-key"] = Environment.GetEnvironmentVariable("PRESENCE_ORG_ADMIN");
        if (otherKey != null)
        {
            configuration.ApiKey["x-apikey"] = otherKey;
        }
        return configuration;
    }

    /// <summary>Returns the value `json` of the 400 that the call ends with.</summary>
    private static object Refusal(Action call)
    {
        try
        {
            call();
        }
        catch (ApiException refused)
        {
            Check(refused.ErrorCode == 400, $"status {refused.ErrorCode}");
            return JsonConvert.DeserializeObject<InvalidError>((string)refused.ErrorContent).Errors.Json;
        }
        throw new InvalidOperationException("the call was not refused");
    }

    private static void Main()
    {
        var users = new UsersApi(Keys());
        Check(users.GetMe().Role == User.RoleEnum.ORGADMIN, "me");
        var creation = new UserCreation("csharp@client.example", "Élodie", "L'Étang")
        {
            Status = UserCreation.StatusEnum.Invited,
            SendInvitation = false,
        };
        var id = users.CreateUser(creation).Id;
        var found = users.SearchUsers(query: "Élodie").Users.Single();
        Check((found.Id, found.FirstName, found.LastName).Equals((id, creation.FirstName, creation.LastName)), $"users: {found}");
        users.DeleteUser(id);

        var reviews = new ReviewsApi(Keys());
        var ratings = new List<int> { 1, 2 };
        var partners = new List<string> { "partner_8", "partner_1" };
        const string City = "Saint-Étienne";
        var page = reviews.SearchReviews(ratingIn: ratings, partnerIn: partners, businessCity: City, perPage: 3);
        Check(page.Count > 0 && page.Reviews.All(review => review.Rating <= 2), $"reviews: {page}");
        var counts = reviews.GetReviewStats(ratingIn: ratings, partnerIn: partners, businessCity: City).Ratings;
        Check(counts.Var1 + counts.Var2 == page.Count && counts.Var5 == 0, $"ratings: {counts}");

        // One error is a text, the other one has choices.
        var fields = (JObject)Refusal(() => new CategoriesApi(Keys()).SearchCategories("ZZ", name: "\u0301"));
        Check(fields["name"].Type == JTokenType.String, $"no text: {fields}");
        var choice = fields["lang"].ToObject<Choice>();
        Check(choice.Choices.Contains("FR") && choice.Explanation != "", $"no choices: {fields}");

        // An error of the request as a whole is a text.
        Check(Refusal(() => new UsersApi(Keys("pk_other")).GetMe()) is string, "no text");
        Console.WriteLine("C# client of openapi-generator: the journey is done");
    }
}

namespace Org.OpenAPITools
{
    // What the generated code sets in Newtonsoft.Json, and Debian's version does not have. It changes no name that is given.
    internal sealed class CamelCaseNamingStrategy
    {
        public bool OverrideSpecifiedNames { get; set; }
    }

    internal sealed class DefaultContractResolver : Newtonsoft.Json.Serialization.DefaultContractResolver
    {
        public CamelCaseNamingStrategy NamingStrategy { get; set; }
    }
}
