/** What `require('@rollcall/core/testing')` gives. */
module.exports = require('../dist/testing/index.js');
