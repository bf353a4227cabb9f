import { Image } from 'hydrant/react'
import photo from '../../images/photo.jpg?image'
import { State } from '../../parts/state.tsx'

export default function Page() {
  return (
    <>
      <style>{'body, p { margin: 0 } img { max-width: 100%; height: auto; vertical-align: top }'}</style>
      <Image id="photo" src={photo} alt="A photo" sizes="50vw" fetchPriority="high" style={{ width: '50vw' }} />
      <p id="after">after</p>
      <a id="next" href="/image/far">
        next
      </a>
      <b id="size">{photo.width}</b>
      <State />
    </>
  )
}
