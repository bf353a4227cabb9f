module.exports = 'required en'
