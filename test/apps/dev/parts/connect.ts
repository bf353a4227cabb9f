export function connect() {
  throw new Error('no database')
}
