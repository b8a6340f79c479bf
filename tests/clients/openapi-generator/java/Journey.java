import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.CategoriesApi;
import org.openapitools.client.api.ReviewsApi;
import org.openapitools.client.api.UsersApi;
import org.openapitools.client.model.Choice;
import org.openapitools.client.model.InvalidError;
import org.openapitools.client.model.User;

/** Some calls with the client that openapi-generator makes for Java's own HTTP client. */
public final class Journey {
    private interface Call {
        Object run() throws ApiException;
    }

    private static void check(boolean holds, String text) {
        if (!holds) {
            throw new IllegalStateException(text);
        }
    }

    private static ApiClient client(String otherKey) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("PRESENCE_URL"));
        client.setRequestInterceptor(request -> {
            request.header("x-api-key", System.getenv("PRESENCE_ORG_ADMIN"));
            if (otherKey != null) {
                request.header("x-apikey", otherKey);
            }
        });
        return client;
    }

    /** Returns the value `json` of the 400 that the call ends with. */
    private static Object refusal(Call call) throws Exception {
        try {
            call.run();
        } catch (ApiException refused) {
            check(refused.getCode() == 400, "status " + refused.getCode());
            return JSON.getDefault().getMapper().readValue(refused.getResponseBody(), InvalidError.class).getErrors().getJson();
        }
        throw new IllegalStateException("the call was not refused");
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = client(null);
        check(new UsersApi(client).getMe(null).getRole() == User.RoleEnum.ORG_ADMIN, "me");
        var reviews = new ReviewsApi(client)
            .searchReviews(null, List.of(1, 2), null, null, null, null, null, null, null, null, null, 3);
        check(reviews.getCount() > 0 && reviews.getReviews().get(0).getRating() <= 2, "reviews");

        // One error is a text, the other one has choices.
        Object fields = refusal(() -> new CategoriesApi(client).searchCategories("ZZ", null, null, 1000, null));
        Map<?, ?> errors = (Map<?, ?>) fields;
        check(errors.get("per_page") instanceof String, "no text: " + errors);
        Choice choice = JSON.getDefault().getMapper().convertValue(errors.get("lang"), Choice.class);
        check(choice.getChoices().contains("FR") && !choice.getExplanation().isEmpty(), "no choices: " + errors);

        // An error of the request as a whole is a text.
        check(refusal(() -> new UsersApi(client("pk_other")).getMe(null)) instanceof String, "no text");
        System.out.println("Java client of openapi-generator: the journey is done");
    }
}
