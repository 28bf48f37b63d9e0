/** What `require('@rollcall/core/adapters')` gives. */
module.exports = require('../dist/adapters.js');
