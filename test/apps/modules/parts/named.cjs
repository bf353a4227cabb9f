const first = 'first'
module.exports = { first, ...require('./deep.cjs') }
