<?php

$secrets = array_filter(explode(',', (string) getenv('WEBHOOK_SECRET'))); // during a rotation: old,new
if (!$secrets) {
    error_log("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included");
    http_response_code(500);
    exit;
}

function is_genuine(string $rawBody, string $signature, array $secrets): bool
{
    foreach ($secrets as $secret) {
        $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

$rawBody = file_get_contents('php://input'); // the bytes as they came; parse the JSON later
$signature = $_SERVER['HTTP_X_ROLLCALL_SIGNATURE'] ?? '';
if (!is_genuine($rawBody, $signature, $secrets)) {
    http_response_code(401);
    exit;
}
http_response_code(204);
file_put_contents('php://stdout', $rawBody . "\n"); // hand it to a job, and answer
