/** What `require('@rollcall/core/rules')` gives. */
module.exports = require('../dist/rules.js');
