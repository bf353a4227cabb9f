export default function Page() {
  return <iframe title="inside" sandbox="allow-scripts allow-forms" src="/frame/inside" />
}
