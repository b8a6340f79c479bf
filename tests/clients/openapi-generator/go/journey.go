// Some calls with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	presence "journey/presence"
)

// check ends the program if a condition does not hold.
func check(holds bool, text string, values ...any) {
	if !holds {
		fmt.Fprintln(os.Stderr, append([]any{text}, values...)...)
		os.Exit(1)
	}
}

// refusal returns the value `json` of the 400 that a call ended with.
func refusal(err error) any {
	var answer *presence.GenericOpenAPIError
	check(errors.As(err, &answer), "the call was not refused", err)
	invalid, ok := answer.Model().(presence.InvalidError)
	check(ok, "the error was not read", string(answer.Body()))
	return invalid.Errors.Json
}

func main() {
	configuration := presence.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("PRESENCE_URL")
	client := presence.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), presence.ContextAccessToken, os.Getenv("PRESENCE_ORG_ADMIN"))

	me, _, err := client.UsersAPI.GetMe(ctx).Execute()
	check(err == nil && me.Role == "ORG_ADMIN", "me", err)
	reviews, _, err := client.ReviewsAPI.SearchReviews(ctx).RatingIn([]int32{1, 2}).PerPage(3).Execute()
	check(err == nil && reviews.Count > 0 && reviews.Reviews[0].Rating <= 2, "reviews", err)

	// One error is a text, the other one has choices.
	_, _, err = client.CategoriesAPI.SearchCategories(ctx).Lang("ZZ").PerPage(1000).Execute()
	fields, ok := refusal(err).(map[string]any)
	check(ok, "no errors of fields", err)
	_, ok = fields["per_page"].(string)
	check(ok, "no text", fields)
	choice, ok := fields["lang"].(map[string]any)
	check(ok && len(choice["choices"].([]any)) > 0 && choice["explanation"] != "", "no choices", fields)

	// An error of the request as a whole is a text.
	configuration.AddDefaultHeader("x-api-key", "pk_other")
	_, _, err = client.UsersAPI.GetMe(ctx).Execute()
	_, ok = refusal(err).(string)
	check(ok, "no text", err)
	fmt.Println("Go client of openapi-generator: the journey is done")
}
