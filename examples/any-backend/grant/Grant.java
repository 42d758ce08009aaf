// The route alone, in Java with Gson. A server of yours has the login.
import com.google.gson.Gson;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpCookie;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

class Grant {
    static final Map<String, String> SESSIONS = Map.of("one", "ada", "two", "EXAMPLE\\grace"); // Your own.

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
            var grant = user == null ? Map.of() : Map.of("user", user, "products", List.of("stt"),
                "usage", Map.of("minutesPerDay", 60), "meetings", Map.of("ownership", "mine"));
            var body = new Gson().toJson(grant).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(user == null ? 401 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
