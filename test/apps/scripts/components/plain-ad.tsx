export default function Ad() {
  return <p>the ad</p>
}
