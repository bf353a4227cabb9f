exports.find = (name) => {
  try {
    // biome-ignore lint/style/useTemplate: a pattern may also be a sum
    return require('./required/' + name + '.cjs')
  } catch (error) {
    return error.message
  }
}
