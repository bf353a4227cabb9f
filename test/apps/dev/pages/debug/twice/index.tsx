export default function Page() {
  return (
    <>
      <title>of the page</title>
      <link rel="canonical" href="https://site.example/of the page" />
      <meta name="description" content="of the page" />
      <meta property="og:title" content="of the page" />
      <p id="twice">twice</p>
    </>
  )
}
