import { build } from '../parts/build.ts'

export default function Page() {
  return <h1>Other {build}</h1>
}
