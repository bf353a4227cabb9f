// A circle of imports.
const { named } = require('plain-cjs')
const esm = require('./star')
const other = require('./other.cjs')
exports.text = [named, esm.star, esm.__esModule, require('./data.json').name, other.text, this === exports].join(', ')
exports.dual = require('dual').default()
exports.again = () => require('./other.cjs') === other && other.again().text === exports.text
exports.missing = () => {
  try {
    return require(String('no' + 'where'))
  } catch {
    return 'missing'
  }
}
exports.optional = () => {
  try {
    return require('not-installed')
  } catch {
    return 'not installed'
  }
}
