import com.fasterxml.jackson.databind.ObjectMapper
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import org.openapitools.client.models.Choice
import org.openapitools.client.models.InvalidError
import org.openapitools.client.models.User

private val mapper = ObjectMapper()
private val http = HttpClient.newHttpClient()

/** Returns the status and the body of an answer. The generated calls need a package of Maven Central: only the models are used. */
private fun get(path: String, vararg headers: String): Pair<Int, String> {
    val request = HttpRequest.newBuilder(URI(System.getenv("PRESENCE_URL") + "/api/v2" + path))
        .headers("x-api-key", System.getenv("PRESENCE_ORG_ADMIN"), *headers)
    val answer = http.send(request.build(), BodyHandlers.ofString())
    return answer.statusCode() to answer.body()
}

/** Returns the value `json` of a 400. */
private fun refusal(answer: Pair<Int, String>): Any? {
    check(answer.first == 400) { answer }
    return mapper.readValue(answer.second, InvalidError::class.java).errors.json
}

fun main() {
    val me = mapper.readValue(get("/user/me").second, User::class.java)
    check(me.role == User.Role.ORG_ADMIN)

    // One error is a text, the other one has choices.
    val fields = refusal(get("/category/search?lang=ZZ&per_page=1000")) as Map<*, *>
    check(fields["per_page"] is String) { fields }
    val choice = mapper.convertValue(fields["lang"], Choice::class.java)
    check("FR" in choice.choices && choice.explanation.isNotEmpty()) { fields }

    // An error of the request as a whole is a text.
    check(refusal(get("/user/me", "x-apikey", "pk_other")) is String)
    println("Kotlin models of openapi-generator: the journey is done")
}
