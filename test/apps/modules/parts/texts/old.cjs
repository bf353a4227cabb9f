module.exports = 'texts old'
