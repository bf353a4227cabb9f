module.exports = 'required de'
