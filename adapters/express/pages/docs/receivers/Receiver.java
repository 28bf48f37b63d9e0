import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Receiver {
  // during a rotation: old,new
  static final String SECRETS = System.getenv().getOrDefault("WEBHOOK_SECRET", "");

  public static void main(String[] args) throws IOException {
    if (SECRETS.isEmpty()) {
      System.err.println("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included");
      System.exit(1);
    }
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", Receiver::receive);
    server.start();
  }

  static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      // the bytes as they came; parse the JSON later
      var rawBody = exchange.getRequestBody().readAllBytes();
      var signature = exchange.getRequestHeaders().getFirst("X-Rollcall-Signature");
      var isGenuine = signature != null && isGenuine(rawBody, signature);
      if (isGenuine) System.out.println(new String(rawBody, StandardCharsets.UTF_8));
      exchange.sendResponseHeaders(isGenuine ? 204 : 401, -1);
    }
  }

  static boolean isGenuine(byte[] rawBody, String signature) {
    for (var secret : SECRETS.split(",")) if (isSigned(rawBody, signature, secret)) return true;
    return false;
  }

  static boolean isSigned(byte[] rawBody, String signature, String secret) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      var expected = new StringBuilder("sha256=");
      for (var one : mac.doFinal(rawBody)) expected.append(String.format("%02x", one));
      return MessageDigest.isEqual(
          expected.toString().getBytes(StandardCharsets.UTF_8), signature.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }
}
