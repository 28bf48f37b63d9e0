// A server imports this when it starts, so that its first sign-in and its first delivery need not load these.
import './crypto/argon2.js';
import './webhook/client.js';
