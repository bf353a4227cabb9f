// What a visitor does before the page is hydrated. A script at the start of the head keeps the events, and the client
// sends them again.

/** The global variable that holds the events. */
export const EARLY_VARIABLE = '__hydrant_early'

/**
 * An event, the content of its field at that time (`value`, `checked` and `selectedOptions`), and whether React has missed
 * the event.
 */
export type EarlyEvent = [event: Event, value?: string, isChecked?: boolean, selected?: object[], isMissed?: boolean]

/** The event that asks React whether it has hydrated an element: see `sendEarly`. */
export const PROBE = 'gotpointercapture'

/**
 * The script keeps an event if React is not there yet, or has stopped it and stops the probe too: the part of the page is
 * not hydrated, and its code is missing. It also keeps events that React handles while others wait to be sent again: they have
 * the newest content of their fields. It listens at the document after React. It keeps none of a page that the visitor
 * has left, and may come back to. It removes its element, which React would hydrate as a script of the site. In the head
 * again, the element makes the page load the navigator, which sends the events.
 */
export const EARLY_SCRIPT = `{let e=${EARLY_VARIABLE}=[],d=document,m=d.currentScript,l=(t,f)=>d.addEventListener(t,f,{capture:1,once:1});m.remove();m.dataset.hydrantPrefetch="visible";for(let t of["input","change","click","dblclick","keydown","keyup","submit"])addEventListener(t,v=>l(t,()=>{let o=v.target,b=!/__reactC/.test(Object.keys(d));if(v.cancelBubble>b)l("${PROBE}",v=>b=v.cancelBubble),o.dispatchEvent(new PointerEvent("${PROBE}",{pointerId:-1}));if(b|e.length)e.push([v,o.value,o.checked,[...o.selectedOptions||""],b]),d.head.append(m),dispatchEvent(new Event("focusin"))}),1);addEventListener("pagehide",()=>e.length=0)}`
