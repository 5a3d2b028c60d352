// ../npm/preact.js
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n4) {
  n4 && n4.parentNode && n4.remove();
}
function k(n4, t5, r4) {
  var u4, i4, f4, o4 = {}, e4 = arguments.length;
  for (f4 in t5) "key" == f4 ? u4 = t5[f4] : "ref" == f4 && "function" != typeof n4 ? i4 = t5[f4] : o4[f4] = t5[f4];
  return e4 > 2 && (o4.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n4, o4, u4, i4, null);
}
function m(r4, u4, i4, f4, o4) {
  var e4 = { type: r4, props: u4, key: i4, ref: f4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o4 || ++t, __i: -1, __u: 0 };
  return !o4 && n.vnode && n.vnode(e4), e4;
}
function $(n4) {
  return n4.children;
}
function x(n4, t5) {
  this.props = n4, this.context = t5, this.__g = 0;
}
function S(n4, t5) {
  if (null == t5) return n4.__ && S(n4.__, n4.__i + 1);
  for (var r4; t5 < n4.__k.length; t5++) if ((r4 = n4.__k[t5]) && r4.__e) return r4.__e;
  return "function" != typeof n4.type || n4.props.__P ? null : S(n4);
}
function C(t5) {
  var r4, u4 = t5.__v, i4 = u4.__e, f4 = [], o4 = [], e4 = t5.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t5.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f4, i4 || S(u4), 32 & u4.__u, o4), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f4, r4, o4), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n4) {
  if ((n4 = n4.__) && n4.__c && !n4.props.__P) return n4.__e = null, n4.__k.some(function(t5) {
    return t5 && (n4.__e = t5.__e);
  }), j(n4);
}
function L(t5) {
  (8 & t5.__g || (t5.__g |= 8, u.push(t5), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n4, t5 = 1; u.length; ) u.length > t5 && u.sort(o), n4 = u.shift(), t5 = u.length, 8 & n4.__g && C(n4);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n4, t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, h4, v5, w5, d5, _4, g5 = u4.__k || y, k5 = t5.length;
  for (l4 = q(r4, t5, g5, l4, k5), s4 = 0; s4 < k5; s4++) null != (v5 = r4.__k[s4]) && (h4 = ~v5.__i && g5[v5.__i] || p, v5.__i = s4, _4 = z(n4, v5, h4, i4, f4, o4, e4, l4, c4, a4), w5 = v5.__e, (h4.ref != v5.ref || 8 & h4.__u) && (h4.ref && G(h4.ref, null, v5, h4), v5.ref && a4.push(v5.ref, v5.__c || w5, v5)), d5 = d5 || w5, 4 & v5.__u ? (l4 = A(v5, l4, n4, !h4.__v), h4.__e && (h4.__e = null)) : "function" == typeof v5.type && void 0 !== _4 ? l4 = _4 : w5 && (l4 = w5.nextSibling), v5.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n4, t5, r4, u4, i4) {
  var f4, o4, e4, l4, c4, a4, s4, p5, y5, v5 = r4.length, d5 = v5, _4 = 0, g5 = 0, k5 = n4.__k = Array(i4);
  for (f4 = 0; f4 < i4; f4++) null != (o4 = t5[f4]) && "boolean" != typeof o4 && "function" != typeof o4 ? ("object" != typeof o4 || o4.constructor === String ? o4 = k5[f4] = m(null, o4) : w(o4) ? o4 = k5[f4] = m($, { children: o4 }) : o4.constructor === h && o4.__b ? o4 = k5[f4] = m(o4.type, o4.props, o4.key, o4.ref, o4.__v) : k5[f4] = o4, l4 = f4 + _4, o4.__ = n4, o4.__b = n4.__b + 1, e4 = null, ~(c4 = o4.__i = P(o4, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o4.__u |= 16, c4 == l4 - 1 ? _4-- : c4 == l4 + 1 ? _4++ : c4 != l4 && (c4 > l4 ? _4-- : _4++, g5 = 1)) : (~c4 || (i4 > v5 ? _4-- : i4 < v5 && _4++), "function" != typeof o4.type && (o4.__u |= 4))) : k5[f4] = null;
  if (g5) {
    for (a4 = [], s4 = [], f4 = 0; f4 < i4; f4++) if ((o4 = k5[f4]) && 16 & o4.__u) {
      for (_4 = 0, p5 = a4.length; _4 < p5; ) a4[y5 = _4 + p5 >> 1] < o4.__i ? _4 = y5 + 1 : p5 = y5;
      a4[_4] = o4.__i, s4[f4] = _4 + 1;
    }
    for (_4 = a4.length; f4--; ) s4[f4] && (s4[f4] == _4 ? _4-- : k5[f4].__u |= 4);
  }
  if (d5) for (f4 = 0; f4 < v5; f4++) !(e4 = r4[f4]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n4, t5, r4, u4) {
  var i4, f4, o4, e4;
  if ("function" == typeof n4.type) {
    if (n4.props.__P) return t5;
    if (i4 = n4.__k) for (f4 = 0; f4 < i4.length; f4++) i4[f4] && (i4[f4].__ = n4, t5 = A(i4[f4], t5, r4, false));
    return t5;
  }
  for (t5 && !t5.parentNode && (t5 = S(n4)) && !t5.parentNode && (t5 = null), o4 = n4.__e, e4 = t5; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o4 != e4 && (!u4 && r4.moveBefore && o4.parentNode ? r4.moveBefore(o4, t5) : r4.insertBefore(o4, t5 || null)), t5 = o4; (t5 = t5 && t5.nextSibling) && 8 == t5.nodeType && !t5.data.startsWith("$s"); ) ;
  return t5;
}
function P(n4, t5, r4, u4) {
  var i4, f4 = n4.key, o4 = n4.type, e4 = t5[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f4 || l4 && f4 == e4.key && o4 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t5[i4]) && !(2 & e4.__u) && f4 == e4.key && o4 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t5.length; i4++) if ((e4 = t5[i4]) && !(2 & e4.__u) && f4 == e4.key && o4 == e4.type) return i4;
  }
  return -1;
}
function T(n4, t5, r4) {
  null == r4 && (r4 = ""), "-" == t5[0] ? n4.setProperty(t5, r4) : n4[t5] = r4;
}
function N(n4, t5, r4, u4, i4) {
  var f4, o4;
  if ("style" == t5) if ("string" == typeof r4) n4.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n4.style.cssText = u4 = ""), u4) for (t5 in u4) r4 && t5 in r4 || T(n4.style, t5);
    if (r4) for (t5 in r4) u4 && r4[t5] == u4[t5] || T(n4.style, t5, r4[t5]);
  }
  else if ("o" == t5[0] && "n" == t5[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n4.__e || (n4.__e = {}))[t5] = r4, r4 && u4 || (o4 = a[t5] || (a[t5] = V(t5)), (n4.__a || (n4.__a = {}))[t5] = c, f4 = t5 != (t5 = t5.replace(l, "$1")), (t5 = t5.slice(2))[0] < "a" && (t5 = t5.toLowerCase()), r4 ? n4.addEventListener(t5, o4, f4) : n4.removeEventListener(t5, o4, f4));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t5 = t5.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t5 && "height" != t5 && "href" != t5 && "list" != t5 && "form" != t5 && "tabIndex" != t5 && "download" != t5 && "rowSpan" != t5 && "colSpan" != t5 && "role" != t5 && "popover" != t5 && t5 in n4) try {
      return void (n4[t5] = null == r4 ? "" : r4);
    } catch (n5) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t5[4] ? n4.removeAttribute(t5) : n4.setAttribute(t5, "popover" == t5 && 1 == r4 ? "" : r4);
  }
}
function V(t5) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t5], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t5]) return;
      return u4(n.event ? n.event(r4) : r4);
    }
  };
}
function z(t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, p5, v5, d5, k5, b3, m6, M2, C3, j3, L2, H2, q2, A4, O2, P2, T3, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o4 = [], 8 == s4.nodeType ? l4 = B(s4, o4) : o4.push(s4), l4 = o4[0] || l4), (s4 = n.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v5 = e4.length;
    try {
      if (M2 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j3 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j3 ? j3.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M2, L2) : (r4.__c = d5 = new x(M2, L2), d5.constructor = V2, d5.render = K), j3 && j3.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M2, d5.__s)))), k5 = d5.props, b3 = d5.state, d5.__v = r4, u4.__c) {
        if (M2 !== k5 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M2, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M2, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M2, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n4) {
            n4 && (n4.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M2, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k5, b3, m6);
        });
      } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M2, d5.__P = t5, d5.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
      do {
        d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q2 < 25);
      C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m6 = d5.getSnapshotBeforeUpdate(k5, b3)), A4 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M2.__P && (s4 = l4, f4 = (t5 = M2.__P).namespaceURI, c4 = o4 = null, u4.props && u4.props.__P != t5 && (u4.__k.some(function(n4) {
        n4 && J(n4, n4);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t5, w(A4) ? A4 : [A4], r4, u4, i4, f4, o4, e4, l4, c4, a4), M2.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t6) {
      if (e4.length = v5, r4.__v = null, c4 || o4) if (t6 && t6.then) {
        if (r4.__u |= 128 | c4, o4) {
          for (~(T3 = o4.indexOf(l4 || void 0)) || (T3 = o4.length); (N2 = o4[T3 - 1]) && 8 == N2.nodeType; ) T3--;
          for (; T3 < o4.length; T3++) if (N2 = o4[T3]) if (o4[T3] = null, O2) {
            if (N2 == P2) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P2 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O2 = l4;
        }
        (s4 = B(O2 = r4.__c.__z || (r4.__c.__z = O2))) ? (r4.__e = O2, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o4 && o4.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t6 && t6.then || D(r4), n.__e(t6, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f4, o4, e4, c4, a4, t5);
  return (s4 = n.diffed) && s4(r4), l4;
}
function B(n4, t5) {
  if (n4 && 8 == n4.nodeType && n4.data.startsWith("$s")) for (var r4 = 1; n4 = n4.nextSibling; ) {
    if (8 == n4.nodeType) {
      if (n4.data.startsWith("$s")) r4++;
      else if (n4.data.startsWith("/$s") && !--r4) return n4;
    }
    t5 && t5.push(n4);
  }
}
function D(n4) {
  n4 && (n4.__c && (n4.__c.__g |= 4), n4.__k && n4.__k.some(D));
}
function E(t5, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n.__c && n.__c(r4, t5), t5.some(function(r5) {
    try {
      t5 = r5.__h, r5.__h = [], t5.some(function(n4) {
        n4.call(r5);
      });
    } catch (t6) {
      n.__e(t6, r5.__v);
    }
  });
}
function F(t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, h4, y5, _4, k5, b3, m6, M2, $2 = u4.props || p, x3 = r4.props, C3 = r4.type;
  if ("svg" == C3 ? f4 = "http://www.w3.org/2000/svg" : "math" == C3 ? f4 = "http://www.w3.org/1998/Math/MathML" : f4 || (f4 = "http://www.w3.org/1999/xhtml"), o4) {
    for (s4 = 0; s4 < o4.length; s4++) if ((k5 = o4[s4]) && (C3 ? k5.localName == C3 : 3 == k5.nodeType)) {
      t5 = k5, o4[s4] = null;
      break;
    }
  }
  if (!t5) {
    if (M2 = a4.ownerDocument || document, !C3) return M2.createTextNode(x3);
    t5 = M2.createElementNS(f4, C3, x3.is ? x3 : a4), l4 && (n.__m && n.__m(r4, o4), l4 = false), o4 = null;
  }
  if (C3) {
    if (a4 = "template" == C3 && t5.content || t5, o4 = "textarea" == C3 && null != x3.defaultValue ? null : o4 && d.call(a4.childNodes), !l4 && o4) for ($2 = {}, s4 = 0; s4 < t5.attributes.length; s4++) $2[(k5 = t5.attributes[s4]).name] = k5.value;
    for (s4 in $2) k5 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k5 : "children" == s4 || s4 in x3 || "value" == s4 && "defaultValue" in x3 || "checked" == s4 && "defaultChecked" in x3 || N(t5, s4, null, k5, f4);
    for (s4 in x3) k5 = x3[s4], "children" == s4 ? _4 = k5 : "dangerouslySetInnerHTML" == s4 ? h4 = k5 : "value" == s4 ? b3 = k5 : "checked" == s4 ? m6 = k5 : l4 && "function" != typeof k5 || $2[s4] === k5 || N(t5, s4, k5, $2[s4], f4);
    h4 ? (l4 || y5 && (h4.__html == y5.__html || h4.__html == t5.innerHTML) || (t5.innerHTML = h4.__html), r4.__k = []) : (y5 && (t5.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f4 && v.test(C3)) && (f4 = "http://www.w3.org/1999/xhtml"), I(a4, w(_4) ? _4 : [_4], r4, u4, i4, f4, o4, e4, o4 ? o4[0] : u4.__k && S(u4, 0), l4, c4), o4 && o4.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b3 ? t5.removeAttribute(s4) : null == b3 || b3 === t5[s4] && ("progress" != C3 || b3) || N(t5, s4, b3, $2[s4], f4), s4 = "checked", null != m6 && m6 != t5[s4] && N(t5, s4, m6, $2[s4], f4));
  } else $2 === x3 || l4 && t5.data == x3 || (t5.data = x3);
  return t5;
}
function G(t5, r4, u4, i4) {
  try {
    "function" == typeof t5 ? r4 ? r4.__x = t5(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t5(null)) : t5.current = r4;
  } catch (t6) {
    n.__e(t6, u4);
  }
}
function J(t5, r4, u4) {
  var i4, f4, o4, e4;
  if (n.unmount && n.unmount(t5), !(i4 = t5.ref) || i4.current && i4.current != t5.__e || G(i4, null, r4, t5), i4 = t5.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t6) {
      n.__e(t6, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t5.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t5.type || u4 && !t5.props.__P);
  !u4 && (i4 = t5.__c) && (i4 = i4.__z) && (f4 = B(i4, o4 = [])) && (i4 == t5.__e && o4.some(g), g(f4), g(i4)), u4 || g(t5.__e), t5.__e = t5.__c = t5.__ = null;
}
function K(n4, t5, r4) {
  return this.constructor(n4, r4);
}
function Q(t5, r4) {
  var u4, i4, f4, o4;
  n.__ && n.__(t5, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t5 && 32 & t5.__u) ? null : r4.__k, r4.__k = m($, { children: [t5] }), f4 = [], o4 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f4, i4 ? i4.__e : r4.firstChild, u4, o4), E(f4, r4.__k, o4), r4.__k.props.children = null;
}
n = { __e: function(n4, t5, r4, u4) {
  for (var i4, o4, e4; t5 = t5.__; ) if ((i4 = t5.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o4 = i4.constructor) && o4.getDerivedStateFromError) && i4.setState(o4.getDerivedStateFromError(n4)), i4.componentDidCatch && (i4.componentDidCatch(n4, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t6) {
      n4 = t6;
    }
  }
  throw f = 0, n4;
} }, t = 0, r = function(n4) {
  return null != n4 && n4.constructor === h;
}, x.prototype.setState = function(n4, t5) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n4 && (n4 = n4(_({}, r4), this.props)), n4 && (_(r4, n4), this.__v && (t5 && this.__k.push(t5), L(this)));
}, x.prototype.forceUpdate = function(n4) {
  this.__v && (this.__g |= 4, n4 && this.__h.push(n4), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n4, t5) {
  return n4.__v.__b - t5.__v.__b;
}, e = Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// ../npm/hooks.js
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n4, t5) {
  a2.__h && a2.__h(r2, n4, f2 || t5), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n4 >= u4.__.length && u4.__.push({}), u4.__[n4];
}
function d2(n4) {
  return f2 = 1, _2(G2, n4);
}
function _2(n4, u4, i4) {
  var f4 = y2(t2++, 2);
  if (f4.t = n4, !f4.__c && (f4.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n5) {
    var t5 = (f4.__N || f4.__)[0], r4 = f4.t(t5, n5);
    o2(t5, r4) || (f4.__N = [r4, f4.__[1]], f4.__c.setState({}));
  }], f4.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n5, t5, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f5 = this.props != n5;
      if (u5.__.some(function(n6) {
        n6.__N && (i5 = true, o2(n6.__[0], n6.__N[0]) || (f5 = true));
      }), c4) {
        var e4 = c4.call(this, n5, t5, r4);
        return i5 ? e4 || f5 : e4;
      }
      return !i5 || f5;
    };
  }
  return f4.__;
}
function A2(n4, u4) {
  var i4 = y2(t2++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n4, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n4, u4) {
  var i4 = y2(t2++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n4, i4.u = u4, r2.__h.push(i4));
}
function T2(n4) {
  return f2 = 5, w2(function() {
    return { current: n4 };
  }, []);
}
function w2(n4, r4) {
  var u4 = y2(t2++, 7);
  return E2(u4.__H, r4) && (u4.__ = n4(), u4.__H = r4), u4.__;
}
function g2() {
  var n4;
  do {
    for (; n4 = e2.shift(); ) try {
      C2(n4);
    } catch (t6) {
      a2.__e(t6, { __: (n4 = n4.__P) && n4.__v });
    }
    for (; n4 = c2.shift(); ) {
      var t5 = n4.__H;
      if (n4.__P && t5) try {
        t5.__h.some(C2), t5.__h.some(D2), t5.__h = [];
      } catch (r4) {
        t5.__h = [], a2.__e(r4, n4.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n4) {
  r2 = null, v2 && v2(n4);
}, a2.__ = function(n4, t5) {
  n4 && t5.__k && t5.__k.__m && (n4.__m = t5.__k.__m), p2 && p2(n4, t5);
}, a2.__r = function(n4) {
  l2 && l2(n4), t2 = 0;
  var i4 = (r2 = n4.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t2 = 0), i4.__h = [], i4.__.some(function(n5) {
    n5.__N && (n5.__ = n5.__N), n5.u = n5.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n4) {
  m2 && m2(n4);
  var t5 = n4.__c;
  t5 && t5.__H && (t5.__H.__h.length && B2(c2.push(t5)), t5.__H.__.some(function(n5) {
    n5.u && (n5.__H = n5.u);
  })), u2 = r2 = null;
}, a2.__c = function(n4, t5) {
  t5.some(function(n5) {
    try {
      n5.__h.some(C2), n5.__h = n5.__h.filter(function(n6) {
        return !n6.__ || D2(n6);
      });
    } catch (t6) {
      n5.__h = [function() {
        throw t6;
      }];
    }
  }), h2 && h2(n4, t5);
}, a2.unmount = function(n4) {
  s2 && s2(n4);
  var t5, r4, u4 = n4.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n4.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n5) {
      t5 = n5;
    }
  }), u4.__H = void 0, t5 && a2.__e(t5, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n4) {
  var t5, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t5), setTimeout(n4);
  }, u4 = setTimeout(r4, 35);
  k2 && (t5 = requestAnimationFrame(r4));
}
function B2(n4) {
  1 != n4 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n4) {
  var t5 = r2, u4 = n4.__c;
  "function" == typeof u4 && (n4.__c = void 0, u4()), r2 = t5;
}
function D2(n4) {
  var t5 = r2;
  n4.__c = n4.__(), r2 = t5;
}
function E2(n4, t5) {
  return !n4 || n4.length != t5.length || t5.some(function(t6, r4) {
    return !o2(t6, n4[r4]);
  });
}
function G2(n4, t5) {
  return "function" == typeof t5 ? t5(n4) : t5;
}

// ../npm/signals-core.js
var t3 = Symbol.for("preact-signals");
function i3() {
  if (e3 > 1) {
    e3--;
    return;
  }
  let t5, i4 = false;
  !function() {
    let t6 = h3;
    h3 = void 0;
    while (void 0 !== t6) {
      const i5 = t6.S;
      if (i5.v === t6.v) {
        for (let n4 = i5.t; void 0 !== n4; n4 = n4.x) if (n4.i === t6.i) n4.i = i5.i;
      }
      t6 = t6.o;
    }
  }();
  while (void 0 !== r3) {
    let n4 = r3;
    r3 = void 0;
    c3++;
    while (void 0 !== n4) {
      const o4 = n4.u;
      n4.u = void 0;
      n4.f &= -3;
      if (!(8 & n4.f) && w3(n4)) try {
        n4.c();
      } catch (n5) {
        if (!i4) {
          t5 = n5;
          i4 = true;
        }
      }
      n4 = o4;
    }
  }
  c3 = 0;
  e3--;
  if (i4) throw t5;
}
function n2(t5) {
  if (e3 > 0) return t5();
  d3 = ++u3;
  e3++;
  try {
    return t5();
  } finally {
    i3();
  }
}
var o3;
var s3;
var r3;
function f3(t5) {
  const i4 = o3, n4 = s3;
  o3 = void 0;
  s3 = void 0;
  try {
    return t5();
  } finally {
    o3 = i4;
    s3 = n4;
  }
}
var h3;
var e3 = 0;
var c3 = 0;
var u3 = 0;
var d3 = 0;
var v3 = 0;
function l3(t5) {
  if (void 0 === o3) return;
  let i4 = t5.n;
  if (void 0 === i4 || i4.t !== o3) {
    i4 = { i: 0, S: t5, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: i4 };
    if (void 0 !== o3.s) o3.s.n = i4;
    o3.s = i4;
    t5.n = i4;
    if (32 & o3.f) t5.S(i4);
    return i4;
  } else if (-1 === i4.i) {
    i4.i = 0;
    if (void 0 !== i4.n) {
      i4.n.p = i4.p;
      if (void 0 !== i4.p) i4.p.n = i4.n;
      i4.p = o3.s;
      i4.n = void 0;
      o3.s.n = i4;
      o3.s = i4;
    }
    return i4;
  }
}
function y3(t5, i4) {
  this.v = t5;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == i4 ? void 0 : i4.watched;
  this.Z = null == i4 ? void 0 : i4.unwatched;
  this.name = null == i4 ? void 0 : i4.name;
}
y3.prototype.brand = t3;
y3.prototype.h = function() {
  return true;
};
y3.prototype.S = function(t5) {
  const i4 = this.t;
  if (i4 !== t5 && void 0 === t5.e) {
    t5.x = i4;
    this.t = t5;
    if (void 0 !== i4) i4.e = t5;
    else f3(() => {
      var t6;
      null == (t6 = this.W) || t6.call(this);
    });
  }
};
y3.prototype.U = function(t5) {
  if (void 0 !== this.t) {
    const i4 = t5.e, n4 = t5.x;
    if (void 0 !== i4) {
      i4.x = n4;
      t5.e = void 0;
    }
    if (void 0 !== n4) {
      n4.e = i4;
      t5.x = void 0;
    }
    if (t5 === this.t) {
      this.t = n4;
      if (void 0 === n4) f3(() => {
        var t6;
        null == (t6 = this.Z) || t6.call(this);
      });
    }
  }
};
y3.prototype.subscribe = function(t5) {
  return x2(() => {
    const i4 = this.value;
    f3(() => t5(i4));
  }, { name: "sub" });
};
y3.prototype.valueOf = function() {
  return this.value;
};
y3.prototype.toString = function() {
  return this.value + "";
};
y3.prototype.toJSON = function() {
  return this.value;
};
y3.prototype.peek = function() {
  return f3(() => this.value);
};
Object.defineProperty(y3.prototype, "value", { get() {
  const t5 = l3(this);
  if (void 0 !== t5) t5.i = this.i;
  return this.v;
}, set(t5) {
  if (t5 !== this.v) {
    if (c3 > 100) throw new Error("Cycle detected");
    !function(t6) {
      if (0 !== e3 && 0 === c3) {
        if (t6.l !== d3) {
          t6.l = d3;
          h3 = { S: t6, v: t6.v, i: t6.i, o: h3 };
        }
      }
    }(this);
    this.v = t5;
    this.i++;
    v3++;
    e3++;
    try {
      for (let t6 = this.t; void 0 !== t6; t6 = t6.x) t6.t.N();
    } finally {
      i3();
    }
  }
} });
function a3(t5, i4) {
  return new y3(t5, i4);
}
function w3(t5) {
  for (let i4 = t5.s; void 0 !== i4; i4 = i4.n) if (i4.S.i !== i4.i || !i4.S.h() || i4.S.i !== i4.i) return true;
  return false;
}
function b(t5) {
  for (let i4 = t5.s; void 0 !== i4; i4 = i4.n) {
    const n4 = i4.S.n;
    if (void 0 !== n4) i4.r = n4;
    i4.S.n = i4;
    i4.i = -1;
    if (void 0 === i4.n) {
      t5.s = i4;
      break;
    }
  }
}
function _3(t5) {
  let i4, n4 = t5.s;
  while (void 0 !== n4) {
    const t6 = n4.p;
    if (-1 === n4.i) {
      n4.S.U(n4);
      if (void 0 !== t6) t6.n = n4.n;
      if (void 0 !== n4.n) n4.n.p = t6;
    } else i4 = n4;
    n4.S.n = n4.r;
    if (void 0 !== n4.r) n4.r = void 0;
    n4 = t6;
  }
  t5.s = i4;
}
function j2(t5, i4) {
  y3.call(this, void 0, i4);
  this.x = t5;
  this.s = void 0;
  this.g = v3 - 1;
  this.f = 4;
}
j2.prototype = new y3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === v3) return true;
  this.g = v3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  const t5 = o3;
  try {
    b(this);
    o3 = this;
    const t6 = this.x();
    if (16 & this.f || this.v !== t6 || 0 === this.i) {
      this.v = t6;
      this.f &= -17;
      this.i++;
    }
  } catch (t6) {
    this.v = t6;
    this.f |= 16;
    this.i++;
  }
  o3 = t5;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(t5) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (let t6 = this.s; void 0 !== t6; t6 = t6.n) t6.S.S(t6);
  }
  y3.prototype.S.call(this, t5);
};
j2.prototype.U = function(t5) {
  if (void 0 !== this.t) {
    y3.prototype.U.call(this, t5);
    if (void 0 === this.t) {
      this.f &= -33;
      for (let t6 = this.s; void 0 !== t6; t6 = t6.n) t6.S.U(t6);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (let t5 = this.t; void 0 !== t5; t5 = t5.x) t5.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get() {
  if (1 & this.f) throw new Error("Cycle detected");
  const t5 = l3(this);
  this.h();
  if (void 0 !== t5) t5.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(t5, i4) {
  return new j2(t5, i4);
}
function p3(t5) {
  const n4 = t5.j;
  t5.j = void 0;
  if ("function" == typeof n4) {
    e3++;
    const s4 = o3;
    o3 = void 0;
    try {
      n4();
    } catch (i4) {
      t5.f &= -2;
      t5.f |= 8;
      g3(t5);
      throw i4;
    } finally {
      o3 = s4;
      i3();
    }
  }
}
function g3(t5) {
  for (let i4 = t5.s; void 0 !== i4; i4 = i4.n) i4.S.U(i4);
  t5.x = void 0;
  t5.s = void 0;
  p3(t5);
}
function S2(t5) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = t5;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    i3();
  }
}
function m3(t5, i4) {
  this.x = t5;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == i4 ? void 0 : i4.name;
  if (s3) s3.push(this);
}
m3.prototype.c = function() {
  const t5 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    const i4 = this.x();
    if ("function" == typeof i4) this.j = i4;
  } finally {
    t5();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b(this);
  e3++;
  const t5 = o3;
  o3 = this;
  return S2.bind(this, t5);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = r3;
    r3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(t5, i4) {
  const n4 = new m3(t5, i4);
  try {
    n4.c();
  } catch (t6) {
    n4.d();
    throw t6;
  }
  const o4 = n4.d.bind(n4);
  o4[Symbol.dispose] = o4;
  return o4;
}

// ../npm/signals.js
var d4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var p4;
var m4;
var v4;
var g4 = [];
x2(function() {
  p4 = this.N;
})();
function b2(t5, i4) {
  n[t5] = i4.bind(null, n[t5] || (() => {
  }));
}
function y4(t5) {
  if (v4) {
    const t6 = v4;
    v4 = void 0;
    t6();
  }
  v4 = t5 && t5.S();
}
function w4({ data: t5 }) {
  const i4 = useSignal(t5);
  i4.name = "ReactiveDom";
  i4.value = t5;
  const [n4, e4] = w2(() => {
    let t6 = this, n5 = this.__v;
    while (n5 = n5.__) if (n5.__c) {
      n5.__c.__$f |= 4;
      break;
    }
    const e5 = O(() => {
      let t7 = i4.value.value;
      return 0 === t7 ? 0 : true === t7 ? "" : t7 || "";
    }), f4 = O(() => !Array.isArray(e5.value) && !r(e5.value)), r4 = x2(function() {
      this.N = M;
      if (f4.value) {
        const i5 = e5.value;
        if (t6.__v && t6.__v.__e && 3 === t6.__v.__e.nodeType) t6.__v.__e.data = i5;
      }
    }), u4 = this.__$u.d;
    this.__$u.d = function() {
      r4();
      u4.call(this);
    };
    return [f4, e5];
  }, []);
  return n4.value ? e4.peek() : e4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(y3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get() {
  const t5 = this;
  return { data: { get value() {
    return t5.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", (t5, i4) => {
  y4();
  m4 = void 0;
  if ("string" == typeof i4.type) {
    let t6, n4 = i4.props;
    for (let e4 in n4) {
      if ("children" === e4) continue;
      let o4 = n4[e4];
      if (o4 instanceof y3) {
        if (!t6) i4.__np = t6 = {};
        t6[e4] = o4;
        n4[e4] = o4.peek();
      }
    }
  }
  t5(i4);
});
b2("__r", (t5, n4) => {
  t5(n4);
  if (n4.type !== $) {
    y4();
    let t6, i4 = n4.__c;
    if (i4) {
      i4.__$f &= -2;
      t6 = i4.__$u;
      if (void 0 === t6) i4.__$u = t6 = function(t7, i5) {
        let n5;
        x2(function() {
          n5 = this;
        }, { name: i5 });
        n5.c = t7;
        return n5;
      }(/* @__PURE__ */ function(t7) {
        return function() {
          var i5;
          if (d4) null == (i5 = this.y) || i5.call(this);
          t7.__$f |= 1;
          t7.setState({});
        };
      }(i4), "function" == typeof n4.type ? n4.type.displayName || n4.type.name : "");
    }
    m4 = i4;
    y4(t6);
  }
});
b2("__e", (t5, i4, n4, e4) => {
  y4();
  m4 = void 0;
  t5(i4, n4, e4);
});
b2("diffed", (t5, i4) => {
  y4();
  m4 = void 0;
  let n4;
  if ("string" == typeof i4.type && (n4 = i4.__e)) {
    let t6 = i4.__np, e4 = i4.props, o4 = n4.U;
    if (o4) for (let i5 in o4) {
      let n5 = o4[i5];
      if (!(void 0 === n5 || t6 && i5 in t6)) {
        n5.d();
        o4[i5] = void 0;
      }
    }
    if (t6) {
      if (!o4) {
        o4 = {};
        n4.U = o4;
      }
      for (let i5 in t6) {
        let f4 = o4[i5], r4 = t6[i5];
        if (void 0 === f4) {
          f4 = k4(n4, i5, r4, e4);
          o4[i5] = f4;
        } else f4.o(r4, e4);
      }
    }
  }
  t5(i4);
});
function k4(t5, i4, n4, e4) {
  const o4 = i4 in t5 && void 0 === t5.ownerSVGElement, f4 = a3(n4);
  return { o: (t6, i5) => {
    f4.value = t6;
    e4 = i5;
  }, d: x2(function() {
    this.N = M;
    const n5 = f4.value.value;
    if (e4[i4] !== n5) {
      e4[i4] = n5;
      if (o4) t5[i4] = n5;
      else if (null != n5 && (false !== n5 || "-" === i4[4])) t5.setAttribute(i4, n5);
      else t5.removeAttribute(i4);
    }
  }) };
}
b2("unmount", (t5, i4) => {
  if ("string" == typeof i4.type) {
    let t6 = i4.__e;
    if (t6) {
      const i5 = t6.U;
      if (i5) {
        t6.U = void 0;
        for (let t7 in i5) {
          let n5 = i5[t7];
          if (n5) n5.d();
        }
      }
    }
    let n4 = i4.__np;
    if (n4) {
      let t7 = i4.props;
      for (let i5 in n4) t7[i5] = n4[i5];
    }
    i4.__np = void 0;
  } else {
    let t6 = i4.__c;
    if (t6) {
      t6.__$f |= 8;
      const i5 = t6.__$u;
      if (i5) {
        t6.__$u = void 0;
        i5.d();
      }
    }
  }
  t5(i4);
});
b2("__h", (t5, i4, n4, e4) => {
  if (e4 < 3) i4.__$f |= 2;
  t5(i4, n4, e4);
});
x.prototype.shouldComponentUpdate = function(t5, i4) {
  if (this.__R) return true;
  const n4 = this.__$u, e4 = n4 && void 0 !== n4.s;
  for (let t6 in i4) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    const t6 = 2 & this.__$f;
    if (!(e4 || t6 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(e4 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (let i5 in t5) if ("__source" !== i5 && t5[i5] !== this.props[i5]) return true;
  for (let i5 in this.props) if (!(i5 in t5)) return true;
  return false;
};
function useSignal(t5, i4) {
  return w2(() => a3(t5, i4), []);
}
var A3 = (t5) => {
  queueMicrotask(() => {
    queueMicrotask(t5);
  });
};
function F3() {
  n2(() => {
    let t5;
    while (t5 = g4.shift()) p4.call(t5);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}

// api.js
import { ask as fetched, askSigned, exchange, first, forget, freshKey, restored as kept, secure, stored, take } from "./early.js";
var stays = a3(false);
var session = a3(
  /** @type {Session | null} */
  restored()
);
var ended = a3("");
function restored() {
  try {
    const here = localStorage.getItem(stored);
    stays.value = here !== null && kept() === here;
    return JSON.parse(kept() ?? "null");
  } catch {
    return null;
  }
}
var Refused = class extends Error {
  /** @param {number} status @param {any} body */
  constructor(status2, body) {
    super(sentence(body?.error_message ?? `the daemon answered ${status2}`));
    this.code = body?.error_code ?? "";
    this.action = sentence(body?.suggested_action ?? "");
    this.details = body?.details ?? {};
  }
};
var Away = class extends Error {
};
function saidOf(e4) {
  if (e4 instanceof Refused) return e4.message;
  if (e4 instanceof Away) return "";
  throw e4;
}
var names = /* @__PURE__ */ new Set();
function sentence(text) {
  const t5 = text.trim();
  const first2 = t5.split(" ")[0];
  const begun = /^[a-z]+,?$/.test(first2) && !names.has(first2) ? t5.charAt(0).toUpperCase() + t5.slice(1) : t5;
  return t5 && begun + (/[.!?:]$/.test(t5) ? "" : ".");
}
var left = false;
var leaving = () => left;
addEventListener("pagehide", () => {
  left = true;
});
addEventListener("pageshow", () => {
  left = false;
  wake();
});
var lost = (e4, stop) => stop?.aborted ? e4 : new Away("The daemon cannot be reached.");
async function ask(path, init, stop) {
  try {
    return await (session.value && path !== "/page/mark" ? askSigned(session.value, path, init) : fetched(path, init));
  } catch (e4) {
    throw lost(e4, stop);
  }
}
async function bodyOf(answer, stop) {
  try {
    return await answer.json();
  } catch (e4) {
    throw lost(e4, stop);
  }
}
var ready = {};
async function enter(code) {
  if (!secure) {
    throw new Refused(0, {
      error_message: "the browser signs nothing at this address, since it is not encrypted",
      suggested_action: "Open the page by https, or forward its port with ssh -L and open it at 127.0.0.1."
    });
  }
  const answer = await (take("session") ?? exchange(code)).catch((e4) => {
    throw lost(e4);
  });
  if (!answer.ok) {
    forget(freshKey());
    throw new Refused(answer.status, await answer.json().catch(() => null));
  }
  const { answers, time, ...entered } = await bodyOf(answer);
  const body = { ...entered, key: freshKey(), ahead: time - Date.now() };
  ready = answers ?? {};
  sessionStorage.setItem(stored, JSON.stringify(body));
  if (stays.value) localStorage.setItem(stored, JSON.stringify(body));
  ended.value = "";
  session.value = body;
}
function stay(on) {
  if (on) localStorage.setItem(stored, JSON.stringify(session.value));
  else localStorage.removeItem(stored);
  stays.value = on;
}
function leave(why) {
  if (stays.value) stay(false);
  sessionStorage.removeItem(stored);
  if (session.value) forget(session.value.key);
  ended.value = why;
  session.value = null;
}
async function refusal(answer) {
  const body = await answer.json().catch(() => null);
  if (answer.status === 401 && session.value) leave("This session has ended: it was revoked, or not used for a day.");
  return new Refused(answer.status, body);
}
var patience = 2e4;
function call(op, args = {}, stop) {
  return whole(`/api/${op}`, { method: "POST", body: JSON.stringify(args) }, stop);
}
async function look(op) {
  const { [op]: came, ...rest2 } = ready;
  ready = rest2;
  if (came) return came;
  const asked2 = take(op);
  if (!asked2) return call(op, first[op]);
  const answer = await asked2.catch((e4) => {
    throw lost(e4);
  });
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer);
}
async function upload(file, fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, idempotency_key: onceKey() })) form.append(name, value);
  form.append("file", file);
  const packed = new Response(form);
  return whole(
    "/api/files",
    { method: "POST", body: await packed.arrayBuffer(), headers: { "Content-Type": packed.headers.get("Content-Type") ?? "" } },
    void 0,
    patience + file.size / 10
  );
}
async function download(id, name) {
  const answer = await ask(`/api/files/${id}`, { method: "GET" });
  if (!answer.ok) throw await refusal(answer);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
}
var reading = /^\/api\/((get|read|list|find|search|explain)_|check_inbox$|team_history$)/;
var dead = new AbortController();
async function whole(path, init, stop, within = patience) {
  const ends = [AbortSignal.timeout(within)];
  if (stop) ends.push(stop);
  if (init.method === "GET" || reading.test(path)) ends.push(dead.signal);
  const answer = await ask(path, { ...init, signal: AbortSignal.any(ends) }, stop);
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer, stop);
}
for (
  const [on, kind] of
  /** @type {[EventTarget, string][]} */
  [[window, "online"], [window, "offline"], [document, "resume"]]
) {
  on.addEventListener(kind, () => {
    dead.abort();
    dead = new AbortController();
    wake();
  });
}
function onceKey() {
  return "web-" + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b3) => b3.toString(16).padStart(2, "0")).join("");
}
async function callOnce(op, args, waits) {
  const whole2 = { ...args, idempotency_key: onceKey() };
  for (let after = 500; ; after = Math.min(after * 2, 5e3)) {
    try {
      return await call(op, whole2);
    } catch (e4) {
      if (!(e4 instanceof Away) && /** @type {any} */
      e4.code !== "DAEMON_UNAVAILABLE" || !session.value) throw e4;
      waits();
      await rest(after);
    }
  }
}
var wake = () => {
};
function rest(ms) {
  return new Promise((done) => {
    const t5 = setTimeout(done, ms);
    wake = () => {
      clearTimeout(t5);
      done(void 0);
    };
  });
}
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) wake();
});
var mark = new URL(import.meta.url).pathname.split("/").at(-2) ?? "";
async function build() {
  const answer = await ask("/page/mark", {});
  if (!answer.ok) throw await refusal(answer);
  return bodyOf(answer);
}
var silence = 4e4;
var beginning = 1e4;
async function stream(path, opened2, take3, stop = new AbortController()) {
  let watch = setTimeout(() => stop.abort(), beginning);
  dead.signal.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
  try {
    const answer = await ask(path, {
      headers: { Accept: "text/event-stream" },
      signal: stop.signal
    });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    clearTimeout(watch);
    watch = setTimeout(() => stop.abort(), silence);
    opened2();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest2 = "";
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), silence);
      const blocks = (rest2 + value).split("\n\n");
      rest2 = blocks.pop() ?? "";
      for (const block of blocks) deliver(block, take3);
    }
  } finally {
    clearTimeout(watch);
    stop.abort();
  }
}
function deliver(block, take3) {
  const data = block.split("\n").filter((l4) => l4.startsWith("data: ")).map((l4) => l4.slice(6)).join("\n");
  if (!data) return;
  const e4 = JSON.parse(data);
  if (e4.error_code === "UNAUTHENTICATED") leave("This session has ended: it was revoked.");
  else if (!e4.error_code) take3(e4);
}

// away.js
var script = "/page/worker.js";
async function keepPage() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(scriptURL(), { scope: "/", updateViaCache: "none" });
  } catch {
  }
}
function scriptURL() {
  const types = (
    /** @type {any} */
    window.trustedTypes
  );
  return types ? types.createPolicy("parley-worker", { createScriptURL: () => script }).createScriptURL("") : script;
}
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.addEventListener("message", (e4) => {
    if (String(e4.data?.path).startsWith("/#/")) location.hash = e4.data.path.slice(1);
  });
}
var mayPush = () => isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
async function subscription() {
  const worker = mayPush() ? await navigator.serviceWorker.getRegistration("/") : void 0;
  return await worker?.pushManager.getSubscription() ?? null;
}
var pushes = () => subscription().then((s4) => !!s4 && Notification.permission === "granted", () => false);
var patience2 = 2e4;
async function pushOn() {
  if (await Notification.requestPermission() !== "granted") return "This browser shows no notices of this page: its settings for the page say so.";
  const { public_key: key } = await call("notify_device");
  const late = new Promise((_4, no) => setTimeout(() => no(new Error("late")), patience2));
  let made;
  try {
    const worker = await Promise.race([navigator.serviceWorker.ready, late]);
    made = await Promise.race([worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late]);
  } catch {
    return "This browser's push service cannot be reached, so nothing is pushed here.";
  }
  try {
    const { endpoint, keys: keys2 } = made.toJSON();
    await call("notify_device", { endpoint, p256dh: keys2.p256dh, auth: keys2.auth });
  } catch (e4) {
    await made.unsubscribe();
    if (e4 instanceof Refused) return `${e4.message} ${e4.action}`;
    throw e4;
  }
  return "";
}
async function pushOff() {
  const s4 = await subscription();
  if (!s4) return;
  await s4.unsubscribe();
  await call("notify_device", { endpoint: s4.endpoint, remove: true });
}
var stored2 = "parley.seen";
var lastSeen = () => Number(localStorage.getItem(stored2)) || Date.now();
var seen = () => localStorage.setItem(stored2, String(Date.now()));

// state.js
var agents = a3(
  /** @type {any[]} */
  []
);
var matters = a3(
  /** @type {any[]} */
  []
);
var letters = a3(
  /** @type {any[]} */
  []
);
var threads = a3(
  /** @type {any[] | null} */
  null
);
var worktrees = a3(
  /** @type {Record<string, any>} */
  {}
);
var loaded = a3(false);
var teamRead = a3(false);
var heard = a3(false);
var line = a3({ live: false, since: Date.now(), tried: false });
var versions = a3({ first: "", now: "", old: false });
var lastWords = a3(
  /** @type {Record<string, string>} */
  {}
);
var seq = a3(0);
var sent = a3(
  /** @type {any[]} */
  []
);
var outcomes = a3(
  /** @type {any[]} */
  []
);
var opened = a3("");
var status = a3(
  /** @type {any} */
  null
);
var trouble = a3("");
var waiting = O(() => matters.value.length + letters.value.length);
var agentOf = (ref) => agents.value.find((a4) => a4.id === ref || a4.name === ref);
var asking = false;
var again = false;
async function readNeeds(inbox) {
  const [need, box] = await Promise.all(!loaded.value ? [look("get_needs"), look("check_inbox")] : [call("get_needs"), inbox ? call("check_inbox", { limit: 50 }) : null]);
  n2(() => {
    matters.value = need.matters?.map((i4) => need.needs[i4]) ?? need.needs;
    if (box) letters.value = box.messages.filter((m6) => !m6.read);
    loaded.value = true;
    trouble.value = "";
    if (!line.value.tried) line.value = { live: true, since: Date.now(), tried: true };
  });
}
async function readTeam() {
  const team = await call("get_agent_status");
  for (const a4 of team.agents) names.add(a4.name);
  n2(() => {
    agents.value = team.agents.filter((a4) => a4.kind !== "human" && a4.state !== "terminated");
    teamRead.value = true;
  });
}
async function refresh({ needs = true, inbox = true, team = true } = {}) {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    if (!loaded.value) await readNeeds(true).then(readTeam);
    else await Promise.all([needs ? readNeeds(inbox) : null, team ? readTeam() : null]);
  } catch (e4) {
    trouble.value = saidOf(e4);
  } finally {
    asking = false;
    if (again) {
      again = false;
      soon();
    }
  }
}
var due = 0;
var asked = 0;
var inboxDue = false;
var teamDue = true;
var teamAsked = 0;
function soon({ inbox = true, team = true } = {}) {
  inboxDue ||= inbox;
  teamDue ||= team;
  if (due) return;
  due = setTimeout(() => {
    due = 0;
    asked = Date.now();
    const now2 = { inbox: inboxDue, team: teamDue && asked - teamAsked >= agents.value.length * 150 };
    inboxDue = false;
    if (now2.team) {
      teamDue = false;
      teamAsked = asked;
    }
    refresh(now2);
  }, Math.max(300, asked + 1e3 - Date.now()));
}
function takeStates(events) {
  const last = new Map(events.filter((e4) => e4.type === "agent_updated" && e4.state).map((e4) => [e4.agent_id, e4]));
  if (!agents.value.some((a4) => last.has(a4.id))) return;
  agents.value = agents.value.map((a4) => {
    const e4 = last.get(a4.id);
    return e4 && e4.state !== a4.state ? { ...a4, state: e4.state, since: e4.time } : a4;
  }).filter((a4) => a4.state !== "terminated");
}
var toMe = (e4) => e4.message_id && (!e4.recipient || e4.recipient === "operator" || e4.sender === "operator");
var readStatus = () => call("get_workspace_status").then((s4) => {
  status.value = s4;
}, saidOf);
var gitAsked = 0;
var gitDue = 0;
function worktreesSoon() {
  gitDue ||= setTimeout(() => {
    gitDue = 0;
    if (!document.hidden) readWorktrees();
  }, Math.max(1e3, gitAsked + 3e4 - Date.now()));
}
async function readWorktrees() {
  if (!agents.value.some((a4) => a4.worktree)) return;
  gitAsked = Date.now();
  try {
    const res = await call("list_worktrees");
    worktrees.value = Object.fromEntries(res.worktrees.map((w5) => [w5.agent_id, w5]));
  } catch {
  }
}
async function readThreads() {
  try {
    threads.value = (await call("list_threads", { limit: 100 })).threads;
  } catch {
  }
}
var taken = [];
var drawing = 0;
var took = 0;
var hearers = /* @__PURE__ */ new Set();
function hear(f4) {
  hearers.add(f4);
  return () => {
    hearers.delete(f4);
  };
}
function take2(e4) {
  if (e4.changed) {
    const [needs, team] = ["needs", "team"].map((what) => e4.changed.includes(what));
    if (!document.hidden) refresh({ needs, inbox: false, team });
    return;
  }
  if (e4.seq <= seq.peek() || taken.length && e4.seq <= taken[taken.length - 1].seq) return;
  taken.push(e4);
  if (!drawing) drawing = setTimeout(draw, 100);
}
function draw() {
  drawing = 0;
  const events = taken;
  taken = [];
  if (!events.length) return;
  remember(events);
  seq.value = events[events.length - 1].seq;
  Object.assign(document.documentElement.dataset, { seq: seq.value, taken: took += events.length });
  for (const f4 of [...hearers]) f4(events);
  const entered = events.filter((e4) => e4.type === "page_opened" && !e4.detail.includes(session.value?.key_id)).at(-1);
  if (events.some((e4) => e4.type === "communication_updated")) readStatus();
  if (entered) opened.value = sentence(entered.detail);
  for (const m6 of sent.value) {
    if (m6.id && events.some((e4) => e4.message_id === m6.id || e4.in_reply_to === m6.id)) follow(m6);
  }
  takeStates(events);
  if (events.some((e4) => e4.type === "agent_updated")) worktreesSoon();
  soon({ inbox: events.some(toMe) });
}
function remember(events) {
  const words = { ...lastWords.value };
  for (const e4 of events) {
    if (!e4.message_preview || !announces(e4)) continue;
    const to = e4.recipient || e4.thread_title || (e4.recipient_count > 1 ? `${e4.recipient_count} agents` : "all");
    if (e4.sender_agent_id) words[e4.sender_agent_id] = `→ ${to}: ${e4.message_preview}`;
    if (e4.recipient_agent_id && e4.sender !== "parley") words[e4.recipient_agent_id] = `← ${e4.sender}: ${e4.message_preview}`;
    if (e4.thread_id) words[e4.thread_id] = `${e4.sender}: ${e4.message_preview}`;
  }
  lastWords.value = words;
}
var announces = (e4) => /^agent_(direct|broadcast|thread)|^thread_created$/.test(e4.type);
async function followEvents() {
  let pause = 250;
  if (!loaded.value) await refresh();
  while (session.value) {
    try {
      if (!seq.value) {
        const past = await call("read_events", { last: 300 });
        remember(past.events);
        seq.value = past.next;
        heard.value = true;
      }
      await stream(`/api/events?after=${seq.value}`, () => {
        pause = 250;
        line.value = { live: true, since: Date.now(), tried: true };
        seen();
        refresh();
        readWorktrees();
        readStatus();
        build().then((now2) => {
          const old = now2.mark !== mark;
          versions.value = { first: versions.value.first || (old ? "" : now2.version), now: now2.version, old };
        }, () => {
        });
      }, take2);
    } catch (e4) {
      if (e4 instanceof Refused && session.value) trouble.value = e4.message;
    }
    if (!leaving() && (line.value.live || !line.value.tried)) line.value = { live: false, since: lastSeen(), tried: true };
    if (!session.value) return;
    heard.value = true;
    await rest(pause);
    pause = Math.min(pause * 2, 4e3);
  }
}
var following = "";
x2(() => {
  const key = session.value?.key ?? "";
  if (key === following) return;
  following = key;
  if (key) followEvents();
});
setInterval(() => {
  if (line.value.live) seen();
}, 5e3);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && line.value.live) {
    refresh();
    readWorktrees();
  }
});
function alter(m6, change) {
  sent.value = sent.value.map((x3) => x3.key === m6.key ? { ...x3, ...change } : x3);
}
var count = 0;
async function send(op, args, about) {
  const m6 = { key: ++count, at: Date.now(), text: args.text, ...about, state: "sending", words: "", deliveries: [] };
  sent.value = [m6, ...sent.value].slice(0, 50);
  try {
    const res = await callOnce(op, args, () => alter(m6, { state: "waiting" }));
    const id = res.message_id || res.response_message_id;
    alter(m6, { state: "sent", id, deliveries: res.deliveries ?? [], reply: res.reply, words: res.success === false ? res.error : "" });
    if (id) await follow({ ...m6, id });
    return true;
  } catch (e4) {
    if (!(e4 instanceof Refused || e4 instanceof Away)) throw e4;
    alter(m6, { state: "refused", words: e4.message, action: e4 instanceof Refused ? e4.action : "" });
    return false;
  }
}
function forget2(key) {
  sent.value = sent.value.filter((m6) => m6.key !== key);
}
async function follow(m6) {
  try {
    const res = await call("get_message_status", { message_id: m6.id });
    alter(m6, { deliveries: res.deliveries });
  } catch {
  }
}
function tellOutcome(o4) {
  const whole2 = (
    /** @type {any} */
    { key: ++count, at: Date.now(), ...o4 }
  );
  outcomes.value = [whole2, ...outcomes.value.filter((x3) => !x3.still || x3.agent !== whole2.agent)].slice(0, 5);
}
function dropOutcome(key) {
  outcomes.value = outcomes.value.filter((o4) => o4.key !== key);
}

// ../npm/htm.js
var n3 = function(t5, s4, r4, e4) {
  var u4;
  s4[0] = 0;
  for (var h4 = 1; h4 < s4.length; h4++) {
    var p5 = s4[h4++], a4 = s4[h4] ? (s4[0] |= p5 ? 1 : 2, r4[s4[h4++]]) : s4[++h4];
    3 === p5 ? e4[0] = a4 : 4 === p5 ? e4[1] = Object.assign(e4[1] || {}, a4) : 5 === p5 ? (e4[1] = e4[1] || {})[s4[++h4]] = a4 : 6 === p5 ? e4[1][s4[++h4]] += a4 + "" : p5 ? (u4 = t5.apply(a4, n3(t5, a4, r4, ["", null])), e4.push(u4), a4[0] ? s4[0] |= 2 : (s4[h4 - 2] = 0, s4[h4] = u4)) : e4.push(a4);
  }
  return e4;
};
var t4 = /* @__PURE__ */ new Map();
function htm_default(s4) {
  var r4 = t4.get(this);
  return r4 || (r4 = /* @__PURE__ */ new Map(), t4.set(this, r4)), (r4 = n3(this, r4.get(s4) || (r4.set(s4, r4 = function(n4) {
    for (var t5, s5, r5 = 1, e4 = "", u4 = "", h4 = [0], p5 = function(n5) {
      1 === r5 && (n5 || (e4 = e4.replace(/^\s*\n\s*|\s*\n\s*$/g, ""))) ? h4.push(0, n5, e4) : 3 === r5 && (n5 || e4) ? (h4.push(3, n5, e4), r5 = 2) : 2 === r5 && "..." === e4 && n5 ? h4.push(4, n5, 0) : 2 === r5 && e4 && !n5 ? h4.push(5, 0, true, e4) : r5 >= 5 && ((e4 || !n5 && 5 === r5) && (h4.push(r5, 0, e4, s5), r5 = 6), n5 && (h4.push(r5, n5, 0, s5), r5 = 6)), e4 = "";
    }, a4 = 0; a4 < n4.length; a4++) {
      a4 && (1 === r5 && p5(), p5(a4));
      for (var l4 = 0; l4 < n4[a4].length; l4++) t5 = n4[a4][l4], 1 === r5 ? "<" === t5 ? (p5(), h4 = [h4], r5 = 3) : e4 += t5 : 4 === r5 ? "--" === e4 && ">" === t5 ? (r5 = 1, e4 = "") : e4 = t5 + e4[0] : u4 ? t5 === u4 ? u4 = "" : e4 += t5 : '"' === t5 || "'" === t5 ? u4 = t5 : ">" === t5 ? (p5(), r5 = 1) : r5 && ("=" === t5 ? (r5 = 5, s5 = e4, e4 = "") : "/" === t5 && (r5 < 5 || ">" === n4[a4][l4 + 1]) ? (p5(), 3 === r5 && (h4 = h4[0]), r5 = h4, (h4 = h4[0]).push(2, 0, r5), r5 = 0) : " " === t5 || "	" === t5 || "\n" === t5 || "\r" === t5 ? (p5(), r5 = 2) : e4 += t5), 3 === r5 && "!--" === e4 && (r5 = 4, h4 = h4[0]);
    }
    return p5(), h4;
  }(s4)), r4), arguments, [])).length > 1 ? r4 : r4[0];
}

// ../npm/htm-preact.js
var m5 = htm_default.bind(k);

// parts.js
var now = a3(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5e3);
function ago(t5) {
  if (!t5) return "";
  const s4 = Math.max(0, Math.round((now.value - new Date(t5).getTime()) / 1e3));
  if (s4 < 60) return `${s4}s`;
  if (s4 < 3600) return `${Math.floor(s4 / 60)}m`;
  if (s4 < 48 * 3600) return `${Math.floor(s4 / 3600)}h`;
  return `${Math.floor(s4 / 86400)}d`;
}
function clock(t5) {
  const d5 = new Date(t5);
  const today = d5.toDateString() === new Date(now.value).toDateString();
  const time = d5.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return today ? time : `${d5.toLocaleDateString([], { month: "short", day: "numeric" })} ${time}`;
}
var byName = (a4, b3) => a4.localeCompare(b3, void 0, { numeric: true });
var shortened = (n4, most) => n4.length > most ? `${n4.slice(0, Math.ceil(most * 2 / 3) - 1)}…${n4.slice(-Math.floor(most / 3))}` : n4;
function Since({ t: t5 }) {
  return t5 ? m5`<time class="quiet" datetime=${new Date(t5).toISOString()} title=${new Date(t5).toLocaleString()}>${ago(t5)}</time>` : null;
}
var Name = ({ children }) => m5`<bdi class="name">${children}</bdi>`;
function useArrival(at) {
  const box = T2(
    /** @type {HTMLElement | null} */
    null
  );
  A2(() => {
    if (Date.now() - at > 3e3 || /** @type {any} */
    document.activeElement?.value) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return box;
}
function useReading(read, concerns, of, pause = 500) {
  const [problem, tell] = d2("");
  const again2 = () => read().then(() => tell(""), (e4) => tell(saidOf(e4)));
  A2(() => {
    let t5 = 0, missed = false;
    const due2 = () => {
      t5 = 0;
      missed = document.hidden;
      if (!missed) again2();
    };
    const off = hear((events) => {
      if (!t5 && events.some(concerns)) t5 = setTimeout(due2, pause);
    });
    const looked = () => {
      if (missed) due2();
    };
    document.addEventListener("visibilitychange", looked);
    again2();
    return () => {
      off();
      clearTimeout(t5);
      document.removeEventListener("visibilitychange", looked);
    };
  }, [of, line.value.live]);
  return [problem, again2];
}
var may = () => !session.value?.watch;
var bounce = 350;
function Twice({ act: act2, children, sure, kind = "", disabled = false, label }) {
  const [armed, arm] = d2(0);
  const [busy, setBusy] = d2(false);
  A2(() => {
    if (!armed) return;
    const t5 = setTimeout(() => arm(0), 8e3);
    return () => clearTimeout(t5);
  }, [armed]);
  const tap = async () => {
    if (!armed) return arm(Date.now());
    if (Date.now() - armed < bounce || busy) return;
    setBusy(true);
    try {
      await act2();
    } finally {
      setBusy(false);
      arm(0);
    }
  };
  const leave2 = () => {
    if (!busy) setTimeout(() => arm(0), 0);
  };
  return m5`<button type="button" class=${`${kind} ${armed ? "armed" : ""}`} disabled=${disabled || busy || !line.value.live}
    aria-label=${armed ? void 0 : label} onClick=${tap} onBlur=${leave2}
    onKeyDown=${(e4) => {
    if (e4.key === "Escape" && armed) {
      e4.stopPropagation();
      arm(0);
    }
  }}>
    <span aria-live="polite">${busy ? "Sending…" : armed ? sure ?? m5`Tap again: ${children}` : children}</span></button>`;
}
var broad = matchMedia("(min-width: 60rem)");
var roomy = matchMedia("(min-width: 80rem)");
function useBroad(media = broad) {
  const [wide, set] = d2(media.matches);
  A2(() => {
    const change = () => set(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return wide;
}
function Write({ send: send2, label, hint = "", verb = "Send", children, draft }) {
  const key = `parley.draft.${draft}`;
  const [text, set] = d2(() => sessionStorage.getItem(key) ?? "");
  const length = [...text.trim()].length;
  const over = length - 2e3;
  const box = T2(
    /** @type {HTMLTextAreaElement | null} */
    null
  );
  const change = (t5) => {
    set(t5);
    if (t5) sessionStorage.setItem(key, t5);
    else sessionStorage.removeItem(key);
  };
  const go = () => {
    const t5 = text.trim();
    if (!t5 || over > 0) return;
    change("");
    send2(t5);
  };
  const press = (e4) => {
    const thumb = matchMedia("(pointer: coarse)").matches;
    if (e4.key === "Enter" && !e4.isComposing && (e4.ctrlKey || e4.metaKey || !thumb && !e4.shiftKey)) {
      e4.preventDefault();
      go();
    }
  };
  A2(() => {
    const b3 = box.current;
    if (!b3) return;
    b3.style.height = "auto";
    b3.style.height = `${Math.min(b3.scrollHeight + 2, 240)}px`;
  }, [text]);
  return m5`<form class="write" onSubmit=${(e4) => {
    e4.preventDefault();
    go();
  }}>
    <textarea ref=${box} rows="1" aria-label=${label} placeholder=${hint || label} value=${text} dir="auto"
      onInput=${(e4) => change(e4.target.value.trim() ? e4.target.value : "")} onKeyDown=${press}></textarea>
    <button class="main" disabled=${!length || over > 0}>${verb}</button>
    ${children || length > 1600 ? m5`<div class="row">${children}<span class="grow"></span>
      ${length > 1600 ? m5`<span class=${over > 0 ? "bad" : "quiet"} role="status">${over > 0 ? `${over} characters too many: put a long text into a file` : `${2e3 - length} left`}</span>` : null}</div>` : null}
  </form>`;
}
var rungs = ["queued", "typing", "submitted", "read", "answered"];
var rungWords = (
  /** @type {Record<string, string>} */
  {
    queued: "accepted",
    typing: "being typed",
    submitted: "submitted",
    read: "read",
    answered: "answered",
    held: "held",
    failed: "failed",
    unconfirmed: "without proof",
    expired: "expired"
  }
);
function Ladder({ d: d5, names: names2 = false }) {
  const reached = Math.max(rungs.indexOf(d5.state), ...(d5.steps ?? []).map((s4) => rungs.indexOf(s4.state)));
  const why = d5.state === "held" || d5.state === "queued" || d5.state === "unconfirmed" || d5.state === "failed" || d5.state === "expired" ? d5.waits_for || d5.reason : "";
  const last = [...d5.steps ?? []].reverse().find((s4) => s4.state === d5.state);
  return m5`<div class=${`ladder ${d5.state}`} role="status">
    ${names2 ? m5`<${Name}>${d5.agent}<//> ` : null}
    <span class="rungs" aria-hidden="true">${rungs.map((r4, i4) => m5`<i class=${i4 <= reached ? "on" : ""}></i>`)}</span>
    <span class="state" data-state=${d5.state}>${rungWords[d5.state] ?? d5.state}</span>
    ${last ? m5` <${Since} t=${last.at} />` : null}
    ${why ? m5`<span class="why">${why}</span>` : last?.evidence ? m5`<span class="quiet why">${last.evidence}</span>` : null}
  </div>`;
}
function Receipt({ m: m6 }) {
  const settled = m6.state === "refused" || m6.deliveries.length && m6.deliveries.every((d5) => /^(read|answered|failed|expired)$/.test(d5.state));
  return m5`<li class="receipt">
    <p class="said" dir="auto">${m6.text}</p>
    ${m6.state === "sending" ? m5`<p class="quiet" role="status">Sending…</p>` : null}
    ${m6.state === "waiting" ? m5`<p class="quiet" role="status">Waits for the daemon. It is sent once, when that is back.</p>` : null}
    ${m6.state === "refused" ? m5`<p class="bad" role="alert">Not sent. ${m6.words} ${m6.action}</p>` : null}
    ${m6.words && m6.state === "sent" ? m5`<p class="bad" role="alert">${m6.words}</p>` : null}
    ${m6.deliveries.slice(0, 8).map((d5) => m5`<${Ladder} d=${d5} names=${m6.deliveries.length > 1} />`)}
    ${m6.deliveries.length > 8 ? m5`<p class="quiet">and ${m6.deliveries.length - 8} more</p>` : null}
    ${m6.reply?.text ? m5`<p class="said them" dir="auto">${m6.reply.text}</p>` : null}
    <div class="row">${m6.id ? m5`<a href=${`#/message/${m6.id}`}>Details</a>` : null}<span class="grow"></span>
      ${settled ? m5`<button type="button" class="plain" onClick=${() => forget2(m6.key)}>Hide</button>` : null}</div>
  </li>`;
}

// needs.js
var keyOf = (n4) => [n4.kind, n4.agent_id, n4.message_id, n4.dialog?.dialog_id].join(".");
var spotOf = (n4) => Math.max(0, [...matters.value, ...letters.value].findIndex((x3) => keyOf(x3) === keyOf(n4)));
function tellFailure(e4, at) {
  if (!(e4 instanceof Refused || e4 instanceof Away)) throw e4;
  const changed = e4 instanceof Refused && e4.code === "DIALOG_CHANGED";
  tellOutcome({
    ...at,
    bad: true,
    said: changed && e4.details.sent?.length ? `The question changed while you answered: only ${e4.details.sent.join(", ")} was sent.` : changed ? "The question changed before your answer, so nothing was sent." : e4 instanceof Away ? "The line was lost. Look at the question again: your answer may have arrived." : e4.message,
    action: changed ? "What is open now stands below." : e4 instanceof Refused ? e4.action : ""
  });
}
async function act(n4, does) {
  const at = { agent: n4.agent ?? n4.sender, place: n4.place, spot: spotOf(n4) };
  try {
    const came = await does();
    if (came) tellOutcome({ ...at, said: "Done.", ...came });
  } catch (e4) {
    tellFailure(e4, at);
  }
  await refresh();
}
function Dialog({ need }) {
  const d5 = need.dialog;
  const [text, setText] = d2("");
  const [all, setAll] = d2(false);
  const others = matters.value.filter((n4) => n4 !== need && n4.dialog?.dialog_id === d5.dialog_id);
  const say = async (o4, typed) => {
    for (const n4 of all ? [need, ...others] : [need]) {
      await act(n4, async () => {
        const res = await call("answer_dialog", { agent: n4.agent, dialog_id: d5.dialog_id, choice: o4?.choice ?? "", text: typed });
        return { said: res.message, then: res.dialog?.question, screen: res.screen };
      });
    }
  };
  const lines = d5.lines.slice(0, d5.lines.at(-1) === d5.question ? -1 : void 0);
  const takesText = d5.takes_text || d5.options.some((o4) => o4.takes_text);
  return m5`
    ${lines.length ? m5`<pre class="asked" tabindex="0" aria-label="All that the question says">${lines.join("\n")}</pre>` : null}
    ${d5.secret ? m5`<p>It asks for a secret, which parley never types. Answer in the agent's terminal.</p>` : null}
    ${may() && !d5.secret ? m5`
      ${others.length ? m5`<label class="check"><input type="checkbox" checked=${all} onChange=${(e4) => setAll(e4.target.checked)} />
        The same answer for ${others.map((n4) => n4.agent).join(", ")}</label>` : null}
      ${takesText ? m5`<label class="field">Your words<input value=${text} maxlength="2000" dir="auto" enterkeyhint="done"
        onInput=${(e4) => setText(e4.target.value)} /></label>` : null}
      <div class="options">
        ${d5.options.map((o4) => m5`<${Twice} key=${d5.dialog_id + o4.choice} kind="option"
            act=${() => say(o4, o4.takes_text ? text.trim() : "")} disabled=${o4.takes_text && !text.trim()}
            sure=${m5`<b>Tap again</b> to ${!o4.several ? "choose" : o4.ticked ? "untick" : "tick"}: ${o4.label}`}>
            <b class="choice">${o4.choice}</b> <span>${o4.several ? m5`<span role="img" aria-label=${o4.ticked ? "ticked" : "not ticked"}>${o4.ticked ? "☑" : "☐"}</span> ` : null}${o4.label}${o4.detail ? m5`<small>${o4.detail}</small>` : null}</span><//>`)}
        ${d5.takes_text ? m5`<${Twice} kind="option" act=${() => say(null, text.trim())} disabled=${!text.trim()}
          sure=${m5`<b>Tap again</b> to type it`}>Type your words<//>` : null}
      </div>` : null}
    ${d5.hints ? m5`<p class="quiet small" dir="auto">It says: ${d5.hints}</p>` : null}
    ${d5.secret ? null : m5`<${Keys} need=${need} />`}`;
}
var keys = ["Enter", "Escape", "Up", "Down", "Left", "Right", "Tab", "Space", "y", "n", "1", "2", "3"];
function Keys({ need }) {
  const [seen2, setSeen] = d2(
    /** @type {any} */
    null
  );
  const look2 = () => act(need, async () => setSeen(await call("answer_dialog", { agent: need.agent })));
  const press = (k5) => act(need, async () => {
    const below = spotOf(need) + 1;
    const res = await call("answer_dialog", { agent: need.agent, dialog_id: seen2.screen_id, keys: [k5] });
    return { said: res.message, then: res.dialog?.question, spot: below, still: true };
  }).then(look2);
  const lines = seen2?.screen ?? (need.dialog ? null : need.screen ?? []);
  return m5`${lines ? m5`<pre class="asked" tabindex="0" aria-label="The screen">${lines.join("\n")}</pre>` : null}
    ${!may() ? null : !seen2 ? m5`<button type="button" onClick=${look2}>Answer with keys</button>` : seen2.screen_id ? m5`<div class="keys">${keys.map((k5) => m5`<${Twice} key=${k5} act=${() => press(k5)} sure=${`${k5}?`}>${k5}<//>`)}</div>` : m5`<p class="quiet">Its screen takes no keys from here now.</p>`}`;
}
function Asks({ agent }) {
  return m5`${outcomes.value.filter((o4) => !o4.place && o4.agent === agent).map((o4) => m5`<${Outcome} key=${o4.key} o=${o4} />`)}
    ${matters.value.filter((n4) => n4.agent === agent && n4.kind === "dialog").map((n4) => m5`<${Need} key=${n4.dialog?.dialog_id ?? "keys"} need=${n4} />`)}`;
}
var capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
function Need({ need: n4 }) {
  const run = async (a4) => {
    let said = a4.done;
    for (const args of a4.arguments) {
      const res = await call(a4.operation, args);
      said ||= res.message;
    }
    return { said: said || `${capital(a4.words)}: done.`, undo: a4.undo && (() => run(a4.undo)) };
  };
  const acts = (n4.acts ?? []).filter((a4) => a4.operation);
  const title = n4.dialog?.question || n4.text;
  return m5`<article class="card waits" aria-label=${`${n4.agent}: ${title}`} data-kind=${n4.kind}
      data-about=${`${n4.agent} ${n4.message_id ?? ""}`} tabindex="-1">
    <header><a href=${n4.agent_id ? `#/agent/${encodeURIComponent(n4.agent)}` : void 0}><${Name}>${n4.agent}<//></a>
      ${n4.also?.length ? m5`<span title=${n4.also.join(", ")}>and ${n4.also.slice(0, 3).join(", ")}${n4.also.length > 3 ? ` and ${n4.also.length - 3} more` : ""}</span>` : null}
      <span class="kind">${n4.kind === "dialog" ? "asks" : n4.kind.replace("_", " ")}</span><span class="grow"></span><${Since} t=${n4.since} /></header>
    <h2 dir="auto">${title}</h2>
    ${n4.dialog ? m5`<${Dialog} key=${n4.dialog.dialog_id} need=${n4} />` : n4.kind === "dialog" ? m5`<${Keys} key=${n4.agent} need=${n4} />` : m5`
      ${n4.screen?.length ? m5`<pre class="asked" tabindex="0" aria-label="The screen">${n4.screen.join("\n")}</pre>` : null}
      ${n4.draft ? m5`<figure class="draft"><figcaption>In its composer stands:</figcaption><pre class="asked" dir="auto">${n4.draft}</pre></figure>` : null}
      ${n4.suggested_action ? m5`<p class="quiet" dir="auto">${n4.suggested_action}</p>` : null}
      ${may() ? m5`<div class="row">${acts.map((a4) => m5`<${Twice} key=${a4.words} act=${() => act(n4, () => run(a4))}
        sure=${a4.ask ? m5`<b>Tap again.</b> ${a4.ask}` : void 0}>${capital(a4.words)}<//>`)}</div>` : null}`}
    <footer class="row">${n4.agent_id ? m5`<a href=${`#/agent/${encodeURIComponent(n4.agent)}`}>Terminal</a>` : null}
      ${n4.message_id ? m5`<a href=${`#/message/${n4.message_id}`}>Message</a>` : null}</footer>
  </article>`;
}
function Letter({ m: m6 }) {
  const reply = (text) => send("respond_to_message", { message_id: m6.message_id, text }, { to: m6.sender, place: "needs", spot: spotOf(m6) }).then(() => refresh());
  const read = () => act(m6, () => call("mark_message_read", { message_ids: [m6.message_id] }).then(() => {
  }));
  return m5`<article class="card waits" aria-label=${`Message from ${m6.sender}`} data-kind="letter" data-about=${`${m6.sender} ${m6.message_id}`} tabindex="-1">
    <header><a href=${`#/agent/${encodeURIComponent(m6.sender)}`}><${Name}>${m6.sender}<//></a>
      <span class="kind">${m6.response_deadline ? "wants an answer" : "writes to you"}</span><span class="grow"></span><${Since} t=${m6.timestamp} /></header>
    <p class="said" dir="auto">${m6.content}</p>
    ${may() && m6.sender !== "parley" ? m5`<${Write} draft=${`reply.${m6.message_id}`} send=${reply} label=${`Answer ${m6.sender}`} verb="Answer">
      <button type="button" class="plain" onClick=${read} disabled=${!line.value.live}>Mark read</button><//>` : may() ? m5`<button type="button" class="plain" onClick=${read} disabled=${!line.value.live}>Mark read</button>` : null}
  </article>`;
}
function Outcome({ o: o4 }) {
  return m5`<article ref=${useArrival(o4.still ? 0 : o4.at)} tabindex="-1" class=${`card outcome ${o4.bad ? "failed" : ""}`} role=${o4.bad ? "alert" : "status"}>
    <header><${Name}>${o4.agent || "parley"}<//><span class="grow"></span><${Since} t=${o4.at} />
      <button type="button" class="plain" onClick=${() => dropOutcome(o4.key)}>Done</button></header>
    <p dir="auto">${o4.said}</p>
    ${o4.action ? m5`<p class="quiet" dir="auto">${o4.action}</p>` : null}
    ${o4.undo ? m5`<p><button type="button" onClick=${() => {
    dropOutcome(o4.key);
    act(o4, o4.undo);
  }}>Undo</button></p>` : null}
    ${o4.then ? m5`<p class="quiet" dir="auto">Then: ${o4.then}</p>` : null}
    ${o4.screen?.length ? m5`<details><summary>Its screen after that</summary><pre class="asked">${o4.screen.join("\n")}</pre></details>` : null}
  </article>`;
}
var Came = ({ place }) => m5`${outcomes.value.filter((o4) => o4.place === place).map((o4) => m5`<${Outcome} key=${o4.key} o=${o4} />`)}`;
var Answered = ({ m: m6 }) => m5`<ul ref=${useArrival(m6.at)} tabindex="-1" class="receipts card"><${Receipt} m=${m6} /></ul>`;
function Shown({ of, chosen, Terminal }) {
  const all = of.filter((name2) => agentOf(name2)?.kind === "terminal");
  const name = all.includes(chosen) ? chosen : all[0];
  return m5`<div class="beside">${name && Terminal ? m5`<h2><a href=${`#/agent/${encodeURIComponent(name)}`}><${Name}>${name}<//></a></h2><${Terminal} key=${name} agent=${name} />` : null}</div>`;
}
function Needs({ about = "", Beside }) {
  const shown = outcomes.value.filter((o4) => !o4.place);
  const room = useBroad(roomy);
  const [chosen, choose] = d2("");
  const look2 = (e4) => choose(e4.target.closest("[data-about]")?.dataset.about.split(" ")[0] ?? chosen);
  A2(() => {
    if (!about || !loaded.value) return;
    const card = (
      /** @type {HTMLElement | null} */
      document.querySelector(`[data-about~="${CSS.escape(about)}"]`)
    );
    card?.scrollIntoView({ block: "start" });
    card?.focus({ preventScroll: true });
  }, [about, loaded.value]);
  const over = about && loaded.value && !matters.value.some((n4) => n4.agent === about || n4.message_id === about) && !letters.value.some((m6) => m6.message_id === about || m6.sender === about);
  const nothing = loaded.value && !matters.value.length && !letters.value.length;
  const cards = [
    ...matters.value.map((n4) => m5`<${Need} key=${keyOf(n4)} need=${n4} />`),
    ...letters.value.map((m6) => m5`<${Letter} key=${keyOf(m6)} m=${m6} />`)
  ];
  const came = [
    ...shown.map((o4) => ({ ...o4, drawn: m5`<${Outcome} key=${o4.key} o=${o4} />` })),
    ...sent.value.filter((m6) => m6.place === "needs").map((m6) => ({ ...m6, drawn: m5`<${Answered} key=${m6.key} m=${m6} />` }))
  ].sort((a4, b3) => a4.at - b3.at).map((c4) => ({ at: Math.min(c4.spot ?? 0, cards.length), drawn: c4.drawn }));
  return m5`<section class="needs" aria-label="What waits for you"><div onFocusCapture=${look2}>
    ${over && !shown.length ? m5`<p class="note" role="status">What the link was about does not wait for you any more.</p>` : null}
    ${nothing ? m5`<p class="empty">Nothing waits for you.</p>` : null}
    ${[...cards, null].flatMap((card, i4) => [...came.filter((c4) => c4.at === i4).map((c4) => c4.drawn), card])}
    ${!stays.value && matchMedia("(pointer: coarse)").matches ? m5`<p class="note">Only this tab is signed in.
      <button type="button" class="plain" onClick=${() => stay(true)}>Stay signed in on this device</button></p>` : null}
  </div>${room && cards.length ? m5`<${Shown} of=${[...matters.value.map((n4) => n4.agent), ...letters.value.map((m6) => m6.sender)]} chosen=${chosen} Terminal=${Beside} />` : null}</section>`;
}

export {
  Q,
  d2 as d,
  A2 as A,
  F2 as F,
  T2 as T,
  a3 as a,
  x2 as x,
  stays,
  session,
  ended,
  Refused,
  Away,
  saidOf,
  sentence,
  enter,
  stay,
  leave,
  call,
  upload,
  download,
  callOnce,
  rest,
  stream,
  keepPage,
  mayPush,
  pushes,
  pushOn,
  pushOff,
  agents,
  matters,
  letters,
  threads,
  worktrees,
  loaded,
  teamRead,
  heard,
  line,
  versions,
  lastWords,
  sent,
  opened,
  status,
  trouble,
  waiting,
  agentOf,
  refresh,
  readStatus,
  readWorktrees,
  readThreads,
  announces,
  send,
  tellOutcome,
  m5 as m,
  ago,
  clock,
  byName,
  shortened,
  Since,
  Name,
  useReading,
  may,
  Twice,
  broad,
  roomy,
  useBroad,
  Write,
  Ladder,
  Receipt,
  act,
  Asks,
  Came,
  Shown,
  Needs
};
