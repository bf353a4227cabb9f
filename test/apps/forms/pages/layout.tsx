import { type LayoutProps, useNavigation, useSubmission } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/'>) {
  const { data: acted, isPending } = useSubmission()
  const going = useNavigation()
  return (
    <html lang="en">
      <head>
        <title>forms</title>
        <style>{'@layer x;'}</style>
      </head>
      <body>
        <main>
          <p id="state">
            {going.state}
            {going.state === 'submitting' && ` ${going.formData.get('text') ?? ''}`}
          </p>
          <p id="pending">{String(isPending)}</p>
          <p id="acted">{JSON.stringify(acted) ?? 'none'}</p>
          <p id="count">{data.count} done</p>
          <input id="other" />
          <a id="away" href="/target">
            away
          </a>
          <p style={{ height: 1500 }}>far</p>
          {children}
          <p style={{ height: 1500 }} id="end">
            end
          </p>
        </main>
      </body>
    </html>
  )
}
