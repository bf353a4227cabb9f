module.exports = 'js'
