import { href, publicEnv } from 'hydrant/react'

const top = publicEnv.PUBLIC_API_URL

export default function Page() {
  return (
    <>
      <h1>one</h1>
      <p id="top">{top}</p>
      <p id="all">{JSON.stringify(publicEnv)}</p>
      <a href={href('/env/two')}>go</a>
    </>
  )
}
