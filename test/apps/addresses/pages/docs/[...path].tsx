export default function Page() {
  return <p>document</p>
}
