export default function Page() {
  return <main>whole</main>
}
