import { Image } from 'hydrant/react'
import other from '../../images/other.png?image'

export default function Far() {
  return (
    <>
      <Image id="near" src={other} alt="" width={300} />
      <div style={{ height: 9000 }} />
      <Image id="far" src={other} alt="" width={100} />
    </>
  )
}
