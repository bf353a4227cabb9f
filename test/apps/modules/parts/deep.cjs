exports.deep = 'deep'
exports.own = 'not exported'
