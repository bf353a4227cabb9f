export const load = () => {
  throw new Error('no')
}
export const action = load
