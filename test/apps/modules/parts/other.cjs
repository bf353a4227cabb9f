exports.text = 'other'
exports.again = () => require('./common.cjs')
