#!/bin/sh
# Makes the certificates of this folder (valid from 2025 to 2125, but for the expired one), with OpenSSL 3. They protect
# nothing: the keys are public, and only tests trust the authority in ca.crt. Run it in this folder to make new ones.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = own
[own]
database = $work/index.txt
rand_serial = yes
new_certs_dir = $work
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
CNF

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

# sign NAME EXTENSION START END [OPTIONS OF openssl ca…]: a certificate for the key NAME.key.
sign() {
  name=$1 extension=$2 start=$3 end=$4
  shift 4
  openssl req -new -key "$name.key" -subj "/CN=steadyhook test $name" -addext "$extension" -out "$work/$name.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -in "$work/$name.csr" -out "$name.crt" \
    -startdate "$start" -enddate "$end" "$@"
}

leaf() { sign "$@" -cert ca.crt -keyfile ca.key; }

since=20250101000000Z
until=21250101000000Z
good_names="subjectAltName=DNS:localhost,DNS:good.test,IP:127.0.0.1,IP:::1"

key ca && sign ca "basicConstraints=critical,CA:TRUE" $since $until -selfsign -keyfile ca.key
key good && leaf good "$good_names" $since $until
key expired && leaf expired "$good_names" 20200101000000Z 20210101000000Z
key wrong-name && leaf wrong-name "subjectAltName=DNS:other.test" $since $until
key self-signed && sign self-signed "$good_names" $since $until -selfsign -keyfile self-signed.key
# Signs messages as Amazon SNS does, which takes RSA.
openssl genrsa -out sns.key 2048 && sign sns "basicConstraints=critical,CA:FALSE" $since $until -selfsign -keyfile sns.key
rm ca.key
