export default function Page() {
  return <p>about</p>
}
