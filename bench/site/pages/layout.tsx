import type { LayoutProps } from 'hydrant/react'

const style =
  'body{margin:0;min-height:100vh;background-color:#f0f0f0}' +
  '#wrapper{width:960px;height:720px;position:relative;background-color:white}' +
  '.tile{position:absolute;width:10px;height:10px;background-color:#333}'

export default function Layout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1.0" />
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>{children}</body>
    </html>
  )
}
