<?php
// A server in PHP with a login. The route /internal/voice-grant is all that Stagepass needs of it.

// Your own users. These are examples.
const PASSWORDS = ['ada' => 'engine', 'grace' => 'compiler'];

session_set_cookie_params(['secure' => true, 'httponly' => true, 'samesite' => 'Lax']);
session_start();

function answer(array $body, int $status = 200): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    header('Cache-Control: no-store');
    echo json_encode($body);
}

// Another site could sign its visitors in as someone else. Browsers send Origin with every POST.
if ($_SERVER['REQUEST_METHOD'] === 'POST' && ($_SERVER['HTTP_ORIGIN'] ?? '') !== 'https://' . $_SERVER['HTTP_HOST']) {
    answer(['user' => null], 403);
    return true;
}

$user = $_SESSION['user'] ?? null;

switch ($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case 'POST /login':
        $name = (string) ($_POST['user'] ?? '');
        $known = PASSWORDS[$name] ?? '';
        if ($known === '' || !hash_equals($known, (string) ($_POST['password'] ?? ''))) {
            answer(['user' => null], 401);
            break;
        }
        session_regenerate_id(true);
        $_SESSION['user'] = $name;
        answer(['user' => $name]);
        break;
    case 'POST /logout':
        session_destroy();
        answer(['user' => null]);
        break;
    case 'GET /me':
        answer(['user' => $user]);
        break;
    case 'GET /internal/voice-grant':
        // Asked by Stagepass, with the cookie of the page. The proxy hides this path.
        if ($user === null) {
            answer(['user' => null], 401);
            break;
        }
        answer(['user' => $user, 'products' => ['stt'], 'meetings' => ['ownership' => 'mine']]);
        break;
    default:
        // The files of the page: php -S serves those that exist.
        return false;
}
return true;
