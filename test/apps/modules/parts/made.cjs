module.exports = () => 'made'
module.exports.extra = 'extra'
