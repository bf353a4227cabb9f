import { href } from 'hydrant/react'

export default function Page() {
  return <a href={href('/env/one')}>go</a>
}
