import { publicEnv } from 'hydrant/react'

const name = publicEnv.PUBLIC_NAME ?? 'none'

export default function Page() {
  return <h1>{name}</h1>
}
