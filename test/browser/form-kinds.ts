// Forms of each kind, in pages of a site. A form's button has the kind's name as its id.

/** Forms that are handled in place. */
export const IN_PLACE: Record<string, string> = {
  plain: `<form method="post"><input name="a" defaultValue="ä 1+2&" /><button id="plain">x</button></form>`,
  named: `<form method="post"><button name="a" value="1">x</button><button id="named" name="b" value="2">y</button></form>`,
  upper: `<form {...{ method: 'POST' }}><button id="upper" name="b" value="2">y</button></form>`,
  action: `<form method="post" action="/kinds?form"><input name="a" /><button id="action" formAction="/kinds?button">x</button></form>`,
  empty: `<form method="post" action="/kinds?form"><input name="a" /><button id="empty" {...{ formAction: '' }}>x</button></form>`,
  method: `<form action="/kinds?get"><input name="a" defaultValue="1" /><button id="method" formMethod="post">x</button></form>`,
  multipart: `<form method="post"><input name="a" defaultValue="1" /><button id="multipart" formEncType="multipart/form-data">x</button></form>`,
  unknown: `<form method="post" encType="nothing/known"><input name="a" defaultValue="1" /><button id="unknown">x</button></form>`,
  self: `<form method="post" target="_blank"><input name="a" defaultValue="1" /><button id="self" formTarget="_SELF">x</button></form>`,
  outside: `<form id="far" method="post"><input name="a" defaultValue="1" /></form><input form="far" name="b" defaultValue="2" /><button id="outside" form="far" name="c" value="3">x</button>`,
  image: `<form method="post"><input name="a" defaultValue="1" /><input id="image" type="image" name="at" alt="x" style={{ width: 40, height: 40, padding: 0 }} /></form>`,
  disabled: `<form method="post"><input name="a" disabled defaultValue="1" /><fieldset disabled><input name="b" defaultValue="2" /></fieldset><input name="c" defaultValue="3" /><button id="disabled">x</button></form>`,
  controls: `<form method="post"><input type="checkbox" name="a" defaultChecked /><input type="checkbox" name="b" /><input type="radio" name="c" value="1" /><input type="radio" name="c" value="2" defaultChecked /><select name="d" multiple defaultValue={['1', '3']}><option>1</option><option>2</option><option>3</option></select><select name="e"><option value="">none</option></select><input type="reset" name="f" /><input type="button" name="g" defaultValue="h" /><button id="controls">x</button></form>`,
  lines: `<form method="post"><textarea name="a" defaultValue={'1\\n2\\r\\n3'} /><input type="hidden" name="b" defaultValue={'1\\n2'} /><button id="lines">x</button></form>`,
  charset: `<form method="post" acceptCharset="UTF-8"><input type="hidden" name="_charset_" /><input name="a" defaultValue="é" /><button id="charset">x</button></form>`,
  direction: `<form method="post"><input name="a" dir="rtl" defaultValue="1" {...{ dirname: 'a.dir' }} /><button id="direction">x</button></form>`,
  file: `<form method="post" encType="multipart/form-data"><input type="file" name="a" /><button id="file">x</button></form>`,
  nested: `<form method="post"><input name="a" defaultValue="1" /><button name="b" value="2"><b id="nested">x</b></button></form>`,
  clobbered: `<form method="post">{['action', 'method', 'target', 'enctype', 'submit', 'closest', 'reset', 'before'].map((name) => <input key={name} name={name} defaultValue="x" />)}<button id="clobbered">x</button></form>`,
  unchecked: `<form method="post"><input name="a" required /><button id="unchecked" formNoValidate>x</button></form>`,
}

/** Forms that are left to the browser. */
export const LEFT: Record<string, string> = {
  reload: `<form method="post" data-hydrant-reload><button id="reload" name="a" value="1">x</button></form>`,
  'reload-button': `<form method="post"><button id="reload-button" data-hydrant-reload name="a" value="1">x</button></form>`,
  text: `<form method="post" encType="text/plain"><button id="text" name="a" value="1">x</button></form>`,
  stopped: `<form method="post" onSubmit={(event) => event.stopPropagation()}><button id="stopped" name="a" value="1">x</button></form>`,
  latin: `<form method="post" acceptCharset="iso-8859-1"><button id="latin" name="a" value="1">x</button></form>`,
  route: `<form method="post" action="/upload.csv"><button id="route" name="a" value="1">x</button></form>`,
  script: `<form method="post"><input name="a" defaultValue="1" /><button id="script" type="button" onClick={({ currentTarget }) => currentTarget.form.submit()}>x</button></form>`,
}

/** Forms that are not sent. */
export const NOT_SENT: Record<string, string> = {
  react: `<form method="post" onSubmit={(event) => event.preventDefault()}><button id="react">x</button></form>`,
  late: `<form method="post" className="late"><button id="late">x</button></form>`,
  invalid: `<form method="post"><input name="a" required /><button id="invalid">x</button></form>`,
  dialog: `<dialog open style={{ position: 'static' }}><form method="dialog"><button id="dialog" value="closed">x</button></form></dialog>`,
  'dialog-button': `<dialog open style={{ position: 'static' }}><form method="post"><button id="dialog-button" formMethod="dialog" value="closed">x</button></form></dialog>`,
  event: `<form method="post"><button id="event" type="button" onClick={({ currentTarget }) => currentTarget.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))}>x</button></form>`,
}

const page = (forms: Record<string, string>) => `export default function Kinds({ actionData }) {
  return <><p id="data">{JSON.stringify(actionData) ?? 'none'}</p>${Object.values(forms).join('\n')}</>
}
`
const action = `export async function action({ app, form, request, url }) {
  const entries = []
  for (const [name, value] of form) entries.push([name, typeof value === 'string' ? value : value.name + ': ' + await value.text()])
  app.done({ path: url.pathname + url.search, method: request.method, entries, type: request.headers['content-type'].split(';')[0] })
  return 'answered'
}
`

/** Returns a page for each of the lists. Their actions return what has arrived. */
export const KINDS_FILES: Record<string, string> = {
  'pages/kinds.tsx': page(IN_PLACE),
  'pages/kinds.server.ts': action,
  'pages/left.tsx': page(LEFT),
  'pages/left.server.ts': action,
  'pages/not-sent.tsx': page(NOT_SENT),
  'pages/not-sent.server.ts': action,
}
