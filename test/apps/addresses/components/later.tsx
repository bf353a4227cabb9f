import { href } from 'hydrant/react'

export default function Later() {
  return (
    <a id="later" href={href('/')}>
      later
    </a>
  )
}
