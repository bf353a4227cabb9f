import type { PageProps } from 'hydrant/react'

/** Forms that are handled in place. What sends a form has its kind as id. */
export default function Kinds({ actionData }: PageProps<'/kinds'>) {
  return (
    <>
      <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
      <form method="post">
        <input name="a" defaultValue="ä 1+2&" />
        <button type="submit" id="plain">
          x
        </button>
      </form>
      <form method="post">
        <button type="submit" name="a" value="1">
          x
        </button>
        <button type="submit" id="named" name="b" value="2">
          y
        </button>
      </form>
      <form method="POST">
        <button type="submit" id="upper" name="b" value="2">
          y
        </button>
      </form>
      <form method="post" action="/kinds?form">
        <input name="a" />
        <button type="submit" id="action" formAction="/kinds?button">
          x
        </button>
      </form>
      <form method="post" action="/kinds?form">
        <input name="a" />
        <button type="submit" id="empty" formAction="">
          x
        </button>
      </form>
      <form action="/kinds?get">
        <input name="a" defaultValue="1" />
        <button type="submit" id="method" formMethod="post">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" defaultValue="1" />
        <button type="submit" id="multipart" formEncType="multipart/form-data">
          x
        </button>
      </form>
      <form method="post" encType="nothing/known">
        <input name="a" defaultValue="1" />
        <button type="submit" id="unknown">
          x
        </button>
      </form>
      <form method="post" target="_blank">
        <input name="a" defaultValue="1" />
        <button type="submit" id="self" formTarget="_SELF">
          x
        </button>
      </form>
      <form id="far" method="post">
        <input name="a" defaultValue="1" />
      </form>
      <input form="far" name="b" defaultValue="2" />
      <button type="submit" id="outside" form="far" name="c" value="3">
        x
      </button>
      <form method="post">
        <input name="a" defaultValue="1" />
        <input id="image" type="image" name="at" alt="x" style={{ width: 40, height: 40, padding: 0 }} />
      </form>
      <form method="post">
        <input name="a" disabled defaultValue="1" />
        <fieldset disabled>
          <input name="b" defaultValue="2" />
        </fieldset>
        <input name="c" defaultValue="3" />
        <button type="submit" id="disabled">
          x
        </button>
      </form>
      <form method="post">
        <input type="checkbox" name="a" defaultChecked />
        <input type="checkbox" name="b" />
        <input type="radio" name="c" value="1" />
        <input type="radio" name="c" value="2" defaultChecked />
        <select name="d" multiple defaultValue={['1', '3']}>
          <option>1</option>
          <option>2</option>
          <option>3</option>
        </select>
        <select name="e">
          <option value="">none</option>
        </select>
        <input type="reset" name="f" />
        <input type="button" name="g" defaultValue="h" />
        <button type="submit" id="controls">
          x
        </button>
      </form>
      <form method="post">
        <textarea name="a" defaultValue={'1\n2\r\n3'} />
        <input type="hidden" name="b" defaultValue={'1\n2'} />
        <button type="submit" id="lines">
          x
        </button>
      </form>
      <form method="post" acceptCharset="UTF-8">
        <input type="hidden" name="_charset_" />
        <input name="a" defaultValue="é" />
        <button type="submit" id="charset">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" dir="rtl" defaultValue="1" {...{ dirname: 'a.dir' }} />
        <button type="submit" id="direction">
          x
        </button>
      </form>
      <form method="post" encType="multipart/form-data">
        <input type="file" name="a" />
        <button type="submit" id="file">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" defaultValue="1" />
        <button type="submit" name="b" value="2">
          <b id="nested">x</b>
        </button>
      </form>
      <form method="post">
        {['action', 'method', 'target', 'enctype', 'submit', 'closest', 'reset', 'before'].map((name) => (
          <input key={name} name={name} defaultValue="x" />
        ))}
        <button type="submit" id="clobbered">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" required />
        <button type="submit" id="unchecked" formNoValidate>
          x
        </button>
      </form>
    </>
  )
}
