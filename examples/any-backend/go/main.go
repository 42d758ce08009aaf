// A server in Go with a login. The route /internal/voice-grant is all that Stagepass needs of it.
package main

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"sync"
)

var passwords = map[string]string{"ada": "engine", "grace": "compiler"} // Your own users.
var sessions sync.Map

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func serve(w http.ResponseWriter, r *http.Request) {
	session := "none"
	if cookie, err := r.Cookie("session"); err == nil {
		session = cookie.Value
	}
	user, _ := sessions.Load(session)
	// Another site could sign its visitors in as someone else. Browsers send Origin with every POST.
	if r.Method == "POST" && r.Header.Get("Origin") != "https://"+r.Host {
		answer(w, 403, map[string]any{"user": nil})
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /login":
		name, id := r.FormValue("user"), make([]byte, 32)
		known, ok := passwords[name]
		if subtle.ConstantTimeCompare([]byte(known), []byte(r.FormValue("password"))) != 1 || !ok {
			answer(w, 401, map[string]any{})
			return
		}
		rand.Read(id)
		fresh := &http.Cookie{Name: "session", Value: hex.EncodeToString(id), Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
		sessions.Store(fresh.Value, name)
		http.SetCookie(w, fresh)
		answer(w, 200, map[string]any{"user": name})
	case "POST /logout":
		sessions.Delete(session)
		answer(w, 200, map[string]any{"user": nil})
	case "GET /me":
		answer(w, 200, map[string]any{"user": user})
	case "GET /internal/voice-grant": // Asked by Stagepass, with the cookie of the page. The proxy hides this path.
		if user == nil {
			answer(w, 401, map[string]any{"user": nil})
		} else {
			answer(w, 200, map[string]any{"user": user, "products": []string{"stt"}, "meetings": map[string]any{"ownership": "mine"}})
		}
	default:
		http.FileServer(http.Dir(os.Getenv("PAGE"))).ServeHTTP(w, r)
	}
}

func main() { log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(serve))) }
