import Spiral from '../components/spiral.tsx'

export default function SpiralPage() {
  return (
    <>
      <title>Spiral</title>
      <Spiral />
    </>
  )
}
