import { href } from 'hydrant/react'

export function HomeLink() {
  return <a href={href('/')}>{href('/about')}</a>
}
