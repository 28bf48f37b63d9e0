package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

var secrets = strings.Split(os.Getenv("WEBHOOK_SECRET"), ",") // during a rotation: old,new

func isGenuine(rawBody []byte, signature string) bool {
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(rawBody)
		expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if secret != "" && hmac.Equal([]byte(expected), []byte(signature)) {
			return true
		}
	}
	return false
}

func receive(reply http.ResponseWriter, request *http.Request) {
	// the bytes as they came; parse the JSON later
	rawBody, err := io.ReadAll(http.MaxBytesReader(reply, request.Body, 1<<20))
	signature := request.Header.Get("X-Rollcall-Signature")
	if err != nil || !isGenuine(rawBody, signature) {
		reply.WriteHeader(http.StatusUnauthorized)
		return
	}
	reply.WriteHeader(http.StatusNoContent)
	fmt.Println(string(rawBody)) // hand it to a job, and answer
}

func main() {
	if strings.Trim(os.Getenv("WEBHOOK_SECRET"), ",") == "" {
		log.Fatal("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
