export const load = () => {
  throw new Error('broken')
}
