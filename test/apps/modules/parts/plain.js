export const plain = require('./required.cjs')
