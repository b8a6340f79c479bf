<?php
// Some calls with the client that openapi-generator makes for PHP: php journey.php FOLDER. FOLDER has the generated code.
declare(strict_types=1);

use GuzzleHttp\Client;
use OpenAPI\Client\Api\{CategoriesApi, ReviewsApi, UsersApi};
use OpenAPI\Client\{ApiException, Configuration, ObjectSerializer};
use OpenAPI\Client\Model\{Choice, InvalidError, User, UserCreation};

require 'GuzzleHttp/autoload.php';
set_error_handler(fn(int $level, string $text, string $file, int $line) => throw new ErrorException($text, 0, $level, $file, $line));
$generated = "$argv[1]/lib";
spl_autoload_register(function (string $class) use ($generated): void {
    require_once $generated . strtr(substr($class, strlen('OpenAPI\Client')), '\\', '/') . '.php';
});
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($generated, FilesystemIterator::SKIP_DOTS)) as $file) {
    require_once $file->getPathname();
}

function check(bool $holds, string $text, mixed $value = null): void
{
    if (!$holds) {
        throw new RuntimeException("$text: " . var_export($value, true));
    }
}

/** Returns an API with these keys, by the names of their headers. */
function api(string $class, array $keys): object
{
    $configuration = new Configuration();
    $configuration->setHost(getenv('PRESENCE_URL'));
    foreach ($keys as $header => $key) {
        $configuration->setApiKey($header, $key);
    }
    return new $class(new Client(), $configuration);
}

/** Returns the value `json` of the 400 that a call ends with. */
function refusal(callable $call): mixed
{
    try {
        $call();
    } catch (ApiException $error) {
        check($error->getCode() === 400, 'the status', $error->getCode());
        $body = $error->getResponseObject();
        check($body instanceof InvalidError, 'the error was not read', $error->getResponseBody());
        return $body->getErrors()->getJson();
    }
    throw new RuntimeException('the call was not refused');
}

$keys = ['x-api-key' => getenv('PRESENCE_ORG_ADMIN')];

// The generated code compares texts with patterns before it sends them: names with accents pass.
$users = api(UsersApi::class, $keys);
check($users->getMe()->getRole() === User::ROLE_ORG_ADMIN, 'me');
$names = ['first_name' => 'Élodie', 'last_name' => "L'Étang"];
$new = new UserCreation(['email' => 'php@client.example', 'status' => 'invited', 'send_invitation' => false] + $names);
check($new->valid(), 'a user', $new->listInvalidProperties());
$id = $users->createUser($new)->getId();
$found = $users->searchUsers(query: 'Élodie');
$read = array_map(fn($user) => [$user->getId(), $user->getFirstName(), $user->getLastName()], $found->getUsers());
check($read === [[$id, ...array_values($names)]], 'users', $read);
$users->deleteUser($id);

$reviews = api(ReviewsApi::class, $keys);
$lists = ['rating__in' => [1, 2], 'partner__in' => ['partner_8', 'partner_1'], 'business_city' => 'Saint-Étienne'];
$page = $reviews->searchReviews(...$lists, per_page: 3);
check($page->getCount() > 0, 'reviews', $page);
foreach ($page->getReviews() as $review) {
    check($review->getRating() <= 2, 'reviews', $review);
}
$ratings = $reviews->getReviewStats(...$lists)->getRatings();
check([$ratings->get1() + $ratings->get2(), $ratings->get5()] === [$page->getCount(), 0], 'ratings', $ratings);

// One error is a text, the other one has choices.
$fields = refusal(fn() => api(CategoriesApi::class, $keys)->searchCategories('ZZ', name: "\u{301}"));
check(is_string($fields->name), 'no text', $fields);
$choice = ObjectSerializer::deserialize($fields->lang, Choice::class);
check(in_array('FR', $choice->getChoices(), true) && $choice->getExplanation() !== '', 'no choices', $fields);

// An error of the request as a whole is a text.
$whole = refusal(fn() => api(UsersApi::class, $keys + ['x-apikey' => 'pk_other'])->getMe());
check(is_string($whole), 'no text', $whole);
echo "PHP client of openapi-generator: the journey is done\n";
