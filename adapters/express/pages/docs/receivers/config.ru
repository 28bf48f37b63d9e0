require "openssl"

secrets = ENV["WEBHOOK_SECRET"].to_s.split(",") # during a rotation: old,new
abort "WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included" if secrets.empty?

def signed?(raw_body, signature, secret)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  OpenSSL.secure_compare(expected, signature)
end

run lambda { |env|
  raw_body = env["rack.input"]&.read.to_s # the bytes as they came; parse the JSON later
  signature = env["HTTP_X_ROLLCALL_SIGNATURE"].to_s
  next [401, {}, []] unless secrets.any? { |secret| signed?(raw_body, signature, secret) }

  puts raw_body # hand it to a job, and answer
  [204, {}, []]
}
