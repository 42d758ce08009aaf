// The route alone, in Java. A server of yours has the login, and a JSON library.
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpCookie;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

class Grant {
    static final Map<String, String> SESSIONS = Map.of("one", "ada"); // Your own.

    static String userOf(String cookies) {
        return Stream.of(cookies == null ? new String[0] : cookies.split("; *"))
            .flatMap(pair -> HttpCookie.parse(pair).stream())
            .filter(cookie -> cookie.getName().equals("session"))
            .map(cookie -> SESSIONS.get(cookie.getValue())).filter(Objects::nonNull)
            .findFirst().orElse(null);
    }

    public static void main(String[] args) throws IOException {
        var port = Integer.parseInt(System.getenv("PORT"));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        // Asked by Stagepass, with the cookie of the page. The proxy hides this path.
        server.createContext("/internal/voice-grant", exchange -> {
            var user = userOf(exchange.getRequestHeaders().getFirst("Cookie"));
            var grant = """
                {"user": "%s", "products": ["stt"], "usage": {"minutesPerDay": 60}, "meetings": {"ownership": "mine"}}""";
            var body = (user == null ? "{}" : grant.formatted(user)).getBytes();
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(user == null ? 401 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
