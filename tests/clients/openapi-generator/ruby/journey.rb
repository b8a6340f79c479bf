# Some calls with the client that openapi-generator makes for Ruby.
require 'json'
require 'openapi_client'

def check(holds, text, value = nil)
  raise "#{text}: #{value.inspect}" unless holds
end

def client(keys)
  configuration = OpenapiClient::Configuration.new
  configuration.scheme, configuration.host = ENV.fetch('PRESENCE_URL').split('://')
  configuration.api_key = keys
  OpenapiClient::ApiClient.new(configuration)
end

# Returns the value `json` of the 400 that a call ends with.
def refusal
  yield
rescue OpenapiClient::ApiError => e
  check(e.code == 400, 'the status', e)
  OpenapiClient::InvalidError.build_from_hash(JSON.parse(e.response_body, symbolize_names: true)).errors.json
else
  raise 'the call was not refused'
end

keys = { 'x-api-key' => ENV.fetch('PRESENCE_ORG_ADMIN') }
admin = client(keys)

# The generated code compares texts with patterns before it sends them: names with accents pass.
users = OpenapiClient::UsersApi.new(admin)
check(users.get_me.role == 'ORG_ADMIN', 'me')
names = { first_name: 'Élodie', last_name: "L'Étang" }
new = OpenapiClient::UserCreation.new(email: 'ruby@client.example', status: 'invited', send_invitation: false, **names)
id = users.create_user(new).id
found = users.search_users(query: 'Élodie')
check(found.users.map { |user| [user.id, user.first_name, user.last_name] } == [[id, *names.values]], 'users', found)
users.delete_user(id)

reviews = OpenapiClient::ReviewsApi.new(admin)
lists = { rating__in: [1, 2], partner__in: %w[partner_8 partner_1], business_city: 'Saint-Étienne' }
page = reviews.search_reviews(per_page: 3, **lists)
check(page.count.positive? && page.reviews.all? { |review| review.rating <= 2 }, 'reviews', page)
ratings = reviews.get_review_stats(**lists).ratings
check([ratings.one + ratings.two, ratings.five] == [page.count, 0], 'ratings', ratings)

# One error is a text, the other one has choices.
fields = refusal { OpenapiClient::CategoriesApi.new(admin).search_categories('ZZ', name: "\u0301") }
check(fields[:name].is_a?(String), 'no text', fields)
choice = OpenapiClient::Choice.build_from_hash(fields[:lang])
check(choice.choices.include?('FR') && !choice.explanation.empty?, 'no choices', fields)

# An error of the request as a whole is a text.
whole = refusal { OpenapiClient::UsersApi.new(client({ **keys, 'x-apikey' => 'pk_other' })).get_me }
check(whole.is_a?(String), 'no text', whole)
puts 'Ruby client of openapi-generator: the journey is done'
