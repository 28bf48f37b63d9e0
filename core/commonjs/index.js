/** What `require('@rollcall/core')` gives: the ES modules themselves, so that there is one `Refusal` however the core was loaded. */
module.exports = require('../dist/index.js');
