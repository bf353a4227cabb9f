import { values } from './values.ts'

export default ({ kind }: { kind: string }): never => {
  // place: /imported
  throw values[kind]?.()
}
