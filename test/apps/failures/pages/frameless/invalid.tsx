const notRenderable = JSON.parse('{ "a": 1 }')

export default function Page() {
  return <p>{notRenderable}</p>
}
