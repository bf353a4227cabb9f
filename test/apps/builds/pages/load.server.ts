function find() {
  throw new Error('not found')
}
export const load = () => find()
